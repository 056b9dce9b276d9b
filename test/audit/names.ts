import { readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeForRegExp } from '../../src/core/settle/claim.ts';
import { titlesIn } from '../../tools/requirements/titles.ts';
import type { PlantedBug } from './planted-bug.ts';

export const root = path.dirname(path.dirname(import.meta.dirname));

/** The tests that have to notice a bug: those in its test file that name its requirement. Nothing if there are none. */
export function namesFor(bugs: readonly PlantedBug[]): RegExp | undefined {
  const prefixes = bugs.flatMap(({ requirement, test }) =>
    titlesOf(test)
      .filter(({ numbers }) => numbers.includes(requirement))
      .map(({ prefix }) => escapeForRegExp(prefix)),
  );
  return prefixes.length === 0 ? undefined : new RegExp(`^(?:${[...new Set(prefixes)].join('|')})`);
}

const known = new Map<string, ReturnType<typeof titlesIn>['tests']>();

function titlesOf(file: string): ReturnType<typeof titlesIn>['tests'] {
  const tests = known.get(file) ?? titlesIn(file, readFileSync(path.join(root, file), 'utf8')).tests;
  known.set(file, tests);
  return tests;
}
