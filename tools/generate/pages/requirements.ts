import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { page, plain, table } from '../markdown.ts';
import gists from '../requirements.json' with { type: 'json' };

interface Proof {
  readonly file: string;
  readonly title: string;
}

const number = String.raw`(?:A\d{3}|B\d{3}|R\d{1,2})`;
const numbers = String.raw`${number}(?:-${number})?(?:[ ,]+${number}(?:-${number})?)*`;
const titledTest = new RegExp(
  String.raw`\b(?:test|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"\x60])(${numbers}): ((?:(?!\1).)+)\1`,
  'g',
);

/** Which test proves which requirement, found by the numbers that test titles begin with. */
export async function requirementsPage(root: string): Promise<string> {
  const proofs = await findProofs(root);
  const all = Object.entries(gists);
  const covered = all.filter(([each]) => proofs.has(each)).length;
  const others = [...proofs.keys()].filter((each) => !(each in gists)).toSorted(byNumber);
  return page(
    '# Requirements and their tests',
    'A test names the requirements it proves at the beginning of its title. This page is generated from those titles.',
    `**${covered} of ${all.length} covered.**`,
    table(
      ['Requirement', 'In short', 'Proved by'],
      all.map(([each, gist]) => [each, gist, list(proofs.get(each))]),
    ),
    others.length === 0 ? [] : ['## Rules and neighbouring requirements'],
    others.length === 0
      ? []
      : [
          table(
            ['Rule', 'Proved by'],
            others.map((each) => [each, list(proofs.get(each))]),
          ),
        ],
  );
}

async function findProofs(root: string): Promise<ReadonlyMap<string, readonly Proof[]>> {
  const proofs = new Map<string, Proof[]>();
  const files: string[] = [];
  for await (const file of glob(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })) files.push(file);
  for (const file of files.toSorted()) {
    const source = await readFile(path.join(root, file), 'utf8');
    for (const [, , named = '', title = ''] of source.matchAll(titledTest)) {
      for (const each of named.split(/[ ,]+/).flatMap(unfoldRange)) {
        proofs.set(each, [...(proofs.get(each) ?? []), { file, title }]);
      }
    }
  }
  return proofs;
}

/** `A010-A013` means all four. */
function unfoldRange(range: string): readonly string[] {
  const [first = '', last = first] = range.split('-');
  const [from, to] = [Number(first.slice(1)), Number(last.slice(1))];
  const digits = first.length - 1;
  return Array.from(
    { length: to - from + 1 },
    (_, index) => `${first[0]}${String(from + index).padStart(digits, '0')}`,
  );
}

function list(proofs: readonly Proof[] = []): string {
  return proofs.map(({ file, title }) => `${plain(title)} ([${path.basename(file)}](../${file}))`).join('<br>');
}

function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
