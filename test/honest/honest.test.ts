import { expect, test } from 'vitest';
import { hasNamespaces } from '../support/system.ts';
import { kinds } from './kinds/all.ts';
import { playHonest, whyNot } from './play.ts';

/** Some that are quick; `npm run honest` tries them all. */
const short = ['npm', 'npm-workspaces', 'pytest', 'make-c'];

for (const mode of ['tree', 'sealed'] as const) {
  for (const kind of kinds.filter(({ id }) => short.includes(id))) {
    test
      .skipIf(whyNot(kind) !== undefined || (mode === 'sealed' && !hasNamespaces))
      .concurrent(
        `R6: in a gate of the kind ${mode} honest work completes, and only what changed is named: ${kind.id} ${kind.what}`,
        async () => {
          expect(await playHonest(kind, mode)).toMatchObject({ completed: true, wrong: [] });
        },
      );
  }
}

test('there are at least 20 kinds of project, each with a name of its own', () => {
  expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length);
  expect(kinds.length).toBeGreaterThanOrEqual(20);
});
