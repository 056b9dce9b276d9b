import { type Attack, categories } from './attack.ts';
import type { Judgement } from './judge.ts';
import type { Mode } from './play.ts';

/** The judgement of one attack with one kind of gate. */
export interface Row {
  readonly attack: Attack;
  readonly mode: Mode;
  readonly judgement: Judgement;
}

/** The page with the judgement of every attack. */
export function attackPage(rows: readonly Row[]): string {
  const attacks = [...new Set(rows.map(({ attack }) => attack))];
  const find = (attack: Attack, mode: Mode) =>
    rows.find((row) => row.attack === attack && row.mode === mode)?.judgement;
  const lines = categories.flatMap((category) =>
    attacks
      .filter((attack) => attack.category === category)
      .map(
        (attack) =>
          `| ${category} | ${cell(attack.what)} | ${inTree(find(attack, 'tree'))} | ${sealed(attack, find)} |`,
      ),
  );
  return `${head(attacks.length)}${lines.join('\n')}\n`;
}

function head(count: number): string {
  return `# Attacks on the gate

Made by \`npm run attacks -- --write\` from the programs in \`test/attacks/corpus\`; do not edit.

Each of these ${count} small programs tries to complete a loop although the work is not done. After every run the project's
own tests are run by hand, with untouched tools and the sources of the candidate: they fail. *Refused* means that the loop
does not complete. *Named* means that it completes, and that the screen, \`status\`, \`explain\` and the last line of
\`run --json\` name the file or the reason. *Strict* is a sealed gate in which
\`protect: { paths: [...], mode: strict }\` protects the edited files.

| changes | attack | in the work tree | sealed |
|---|---|---|---|
`;
}

function inTree(judgement: Judgement | undefined): string {
  return judgement === undefined ? 'not run' : wordOf(judgement);
}

function sealed(attack: Attack, find: (attack: Attack, mode: Mode) => Judgement | undefined): string {
  const [plain, strict] = [find(attack, 'sealed'), find(attack, 'strict')];
  if (plain === undefined) return 'not run';
  if (plain.kind !== 'named' || strict === undefined) return wordOf(plain);
  return `named; strict: ${wordOf(strict)}`;
}

function wordOf(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'refused':
    case 'named':
      return judgement.kind;
    case 'unnamed':
      return '**completes**';
    case 'possible':
      return `still possible: ${cell(judgement.reason)}`;
    case 'invalid':
      return 'not judged';
  }
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
