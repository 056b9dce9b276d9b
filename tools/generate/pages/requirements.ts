import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bugs } from '../../../test/audit/bugs/all.ts';
import { pending } from '../../../test/audit/pending.ts';
import { byNumber } from '../../requirements/numbers.ts';
import { replacedBy } from '../../requirements/rules.ts';
import { titlesIn } from '../../requirements/titles.ts';
import { page, plain, table } from '../markdown.ts';
import gists from '../requirements.json' with { type: 'json' };

interface Proof {
  readonly file: string;
  readonly words: string;
}

const newest = { B: 139, R: 26 };

/** Which test proves which requirement, found by the numbers that test titles begin with. */
export async function requirementsPage(root: string): Promise<string> {
  const proofs = await findProofs(root);
  const all = Object.entries(gists);
  const waits = new Map(pending.map(({ requirement, waitsFor }) => [requirement, waitsFor]));
  const audited = new Set(bugs.map(({ requirement }) => requirement));
  const others = [...proofs.keys()].filter((each) => !(each in gists)).toSorted(byNumber);
  refuse(
    'no test names, and the audit does not list as pending',
    all.map(([each]) => each).filter((each) => !proofs.has(each) && !waits.has(each)),
  );
  refuse('tests name, but nothing defines', others.filter(isUnknown));
  return page(
    '# Requirements and their tests',
    'A test names the requirements it proves at the beginning of its title; this page is generated from those titles. `npm run audit` plants a bug against each requirement and runs the tests that name it: they have to notice.',
    `**${all.filter(([each]) => proofs.has(each)).length} of ${all.length} have a test, ${all.filter(([each]) => audited.has(each)).length} a planted bug that it catches.**`,
    table(
      ['Requirement', 'In short', 'Replaced by', 'Proved by'],
      all.map(([each, gist]) => [
        each,
        gist,
        replacedBy[each] ?? '',
        list(proofs.get(each)) || `not built yet: waits for ${waits.get(each)}`,
      ]),
    ),
    '## Rules and neighbouring requirements',
    table(
      ['Rule', 'Proved by'],
      others.map((each) => [each, list(proofs.get(each))]),
    ),
  );
}

async function findProofs(root: string): Promise<ReadonlyMap<string, readonly Proof[]>> {
  const proofs = new Map<string, Proof[]>();
  const files: string[] = [];
  const exclude = ['**/node_modules/**', 'test/house/fixtures/**', 'test/audit/bugs/**'];
  for await (const file of glob(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root, exclude })) files.push(file);
  for (const file of files.toSorted()) {
    const { tests, strays } = titlesIn(file, await readFile(path.join(root, file), 'utf8'));
    refuse(`${file} has in a text that is no title of a test`, strays);
    for (const { numbers, words } of tests)
      for (const each of numbers) proofs.set(each, [...(proofs.get(each) ?? []), { file, words }]);
  }
  return proofs;
}

function isUnknown(each: string): boolean {
  const number = Number(each.slice(1));
  return each.startsWith('A') || number < 1 || number > (each.startsWith('B') ? newest.B : newest.R);
}

function refuse(problem: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`Numbers that ${problem}: ${found.join(', ')}`);
}

function list(proofs: readonly Proof[] = []): string {
  return proofs.map(({ file, words }) => `${plain(words)} ([${path.basename(file)}](../${file}))`).join('<br>');
}
