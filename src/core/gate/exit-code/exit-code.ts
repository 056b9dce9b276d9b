import type { CheckCommand } from '../../../protocol/index.ts';
import { readLine, testCommands } from './read-line.ts';
import { lossOf } from './run-line.ts';
import { applyEdit, quoted } from './run-simple.ts';
import type { Loss, LossKind, ReadCommand, ReadLine } from './trial.ts';

/** Whether the exit code of a line is that of its test command. */
export type ExitCode =
  | { readonly kind: 'faithful' }
  /** It is, once `pipefail` is set. `alone` is the same test without its pipe. */
  | { readonly kind: 'pipe'; readonly test: string; readonly why: string; readonly alone: string }
  /** It is not: the line can exit 0 although the test failed. */
  | { readonly kind: 'masked'; readonly test: string; readonly why: string; readonly corrected: string };

const reasons: Readonly<Record<LossKind, (test: string) => string>> = {
  or: (test) => `what follows "||" succeeds when ${test} fails`,
  sequence: (test) => `it exits with the code of what follows ${test}`,
  background: (test) => `${test} runs in the background, and its exit code is lost`,
  if: (test) => `the "if" also succeeds when ${test} fails`,
  loop: (test) => `a loop exits with the code of its last round, whatever ${test} did before`,
  substitution: (test) => `the exit code of ${test} is not passed on by "$(…)"`,
  option: (test) => `${test} is told to exit 0 whatever happens`,
  pipe: (test) => `a pipe exits with the code of its last command, not with that of ${test}`,
  trap: (test) => `the trap for EXIT replaces the exit code of ${test}`,
};

const mostFixes = 8;

/** Judges a shell line: can it exit 0 although its test command failed? */
export function judgeExitCode(source: string): ExitCode {
  const line = readLine(source);
  const found = firstLoss(line, false);
  if (found === undefined) return { kind: 'faithful' };
  const strict = firstLoss(line, true);
  const test = oneLine(found.test);
  if (strict === undefined)
    return { kind: 'pipe', test, why: reasons.pipe(`"${test}"`), alone: withoutPipe(source, found) };
  return {
    kind: 'masked',
    test: oneLine(strict.test),
    why: reasons[strict.loss.why](`"${oneLine(strict.test)}"`),
    corrected: correct(source, strict),
  };
}

/** What is wrong with a check that a user gave, and the line that is right. */
export interface CheckProblem {
  readonly line: string;
  readonly why: string;
  readonly corrected: string;
}

/** Why a check could pass although its test failed; nothing when it could not, with bash where that is needed. */
export function checkProblem(check: CheckCommand, hasBash: boolean): CheckProblem | undefined {
  const line = typeof check === 'string' ? check : check.map(asWord).join(' ');
  const judged = judgeExitCode(line);
  if (judged.kind === 'masked') return { line, why: judged.why, corrected: judged.corrected };
  if (hasBash || typeof check !== 'string') return undefined;
  if (judged.kind === 'pipe') return { line, why: judged.why, corrected: judged.alone };
  const test = testCommands(readLine(line)).at(-1)?.command.raw ?? '';
  return shellNeeded(line) === 'sh'
    ? undefined
    : { line, why: 'it needs bash, and there is none here', corrected: test };
}

function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

/** The shell that a line has to be run by: `sh`, `bash`, or `bash` with pipefail set. */
export function shellNeeded(line: string): 'sh' | 'bash' | 'pipefail' {
  if (judgeExitCode(line).kind === 'pipe') return 'pipefail';
  return /\bpipefail\b|\bPIPESTATUS\b/.test(line) && !/^\s*(?:\S+\s+)*?(?:\S*\/)?bash\s+-/.test(line) ? 'bash' : 'sh';
}

interface Found {
  readonly loss: Loss;
  readonly test: string;
  readonly command: ReadCommand;
}

/** The first test whose failure the line hides. */
function firstLoss(line: ReadLine, pipefail: boolean): Found | undefined {
  const tests = testCommands(line);
  const sets = [...tests.map((test) => [test]), ...(tests.length > 1 ? [tests] : [])];
  for (const failing of sets) {
    for (const fails of ['always', 'once'] as const) {
      const loss = lossOf(line, { failing, fails, pipefail });
      const [command] = failing;
      if (loss !== undefined && command !== undefined) return { loss, test: command.command.raw, command };
    }
  }
  return undefined;
}

/** Changes the line until nothing is hidden. Where that does not work out, the test alone is the right line. */
function correct(source: string, first: Found): string {
  let text = source;
  let found: Found | undefined = first;
  for (let round = 0; round < mostFixes && found?.loss.edit !== undefined && !text.includes('<<'); round += 1) {
    text = applyEdit(text, found.loss.edit).trim();
    found = firstLoss(readLine(text), true);
    if (found === undefined && text !== '') return text;
  }
  return first.test;
}

/** The line for a machine that has no bash. */
function withoutPipe(source: string, { loss, test }: Found): string {
  if (loss.why !== 'pipe' || loss.edit === undefined) return test;
  const changed = applyEdit(source, { ...loss.edit, text: test });
  return judgeFaithful(changed) ? changed : test;
}

function judgeFaithful(source: string): boolean {
  return firstLoss(readLine(source), false) === undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
