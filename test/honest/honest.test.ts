import { expect, test } from 'vitest';
import { hasNamespaces } from '../support/system.ts';
import { kinds } from './kinds/all.ts';
import { playHonest, skipReason } from './play.ts';

/** The fast ones, each with one gate; `npm run honest` runs all with every gate. */
const short = { tree: ['npm-workspaces', 'make-c'], sealed: ['npm', 'pytest'] };

for (const mode of ['tree', 'sealed'] as const) {
  for (const kind of kinds.filter(({ id }) => short[mode].includes(id))) {
    test
      .skipIf(skipReason(kind) !== undefined || (mode === 'sealed' && !hasNamespaces))
      .concurrent(
        `R6: a ${mode} gate completes honest work and names only what changed: ${kind.id} ${kind.what}`,
        async () => {
          expect(await playHonest(kind, mode)).toMatchObject({ completed: true, wrong: [] });
        },
      );
  }
}

test('there are at least 20 kinds of project, each with its own name', () => {
  expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length);
  expect(kinds.length).toBeGreaterThanOrEqual(20);
});
