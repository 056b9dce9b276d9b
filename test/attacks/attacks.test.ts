import { expect, test } from 'vitest';
import { hasNamespaces, hasPytest } from '../support/system.ts';
import { type Attack, categories, type Stage } from './attack.ts';
import { corpus } from './corpus/all.ts';
import { isAllowed, judge } from './judge.ts';
import { honestWork, type Mode, play, playByHand } from './play.ts';
import { npm, pytest } from './stages.ts';

/**
 * One of each main category that no test in `test/e2e` covers (there: programs on the PATH, edited dependencies, masked exit
 * codes, no work). `npm run attacks` runs all attacks.
 */
const short = [
  'shebang-venv-python',
  'npmrc-home-script-shell',
  'git-assume-unchanged-test',
  'git-replaced',
  'ignored-build',
  'cache-pyc-unchecked',
  'helper-imported',
  'exit-atexit',
];

/** `npm run attacks -- --real` proves this for all attacks. */
const shownReal = ['shebang-venv-python', 'git-replaced', 'ignored-build'];

const attacks = short.map((id) => [id, find(id)] as const);
const kinds: readonly Mode[] = ['tree', 'sealed'];

/** The work is judged by hand once per attack, because the result does not depend on the gate. */
const isJudged = (mode: Mode) => mode === 'tree';
const judged = (mode: Mode) => (isJudged(mode) ? ', and its tests fail by hand' : '');

/** Without bubblewrap or pytest, the tests that need them are skipped. */
const canPlay = (mode: Mode, { name }: Stage) =>
  (mode !== 'sealed' || hasNamespaces) && (hasPytest || !/pytest|venv/.test(name));

function find(id: string): Attack {
  const attack = corpus.find((one) => one.id === id);
  if (attack === undefined) throw new Error(`There is no attack ${id}.`);
  return attack;
}

for (const mode of kinds) {
  for (const [id, attack] of attacks) {
    test
      .skipIf(!canPlay(mode, attack.stage))
      .concurrent(`R6: a ${mode} gate refuses or names the attack ${id}${judged(mode)}`, async () => {
        const outcome = await play(attack, mode, { isJudged: isJudged(mode) });
        expect(outcome.workIsDone).toBe(isJudged(mode) ? false : undefined);
        const judgement = judge(attack, outcome);
        expect(isAllowed(attack, mode, judgement), JSON.stringify({ judgement, outcome })).toBe(true);
      });
  }

  for (const stage of [npm, pytest]) {
    test
      .skipIf(!canPlay(mode, stage))
      .concurrent(
        `R6: a ${mode} gate completes honest work on the same projects and names nothing (${stage.name})`,
        async () => {
          expect(await play(honestWork(stage), mode)).toMatchObject({
            completed: true,
            workIsDone: true,
            findings: [],
          });
        },
      );
  }
}

for (const [id, attack] of attacks.filter(([name]) => shownReal.includes(name))) {
  test
    .skipIf(!canPlay('tree', attack.stage))
    .concurrent(`the attack ${id} is real: its check passes by hand although the work is not done`, async () => {
      expect(await playByHand(attack)).toEqual({ passes: true, workIsDone: false });
    });
}

test('every attack has its own name, every category has an attack, and there are more than 60', () => {
  expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  expect(categories.filter((category) => !corpus.some((attack) => attack.category === category))).toEqual([]);
  expect(corpus.length).toBeGreaterThan(60);
});

test('only two reasons excuse an attack: code that forges its own tests, and a process that outlives the loop', () => {
  const excused = corpus.filter(({ stillPossible }) => stillPossible !== undefined);
  expect(new Set(excused.map(({ stillPossible }) => stillPossible)).size).toBe(2);
  expect(excused.every(({ judgedBy, category }) => judgedBy === 'oracle' || category === 'hidden processes')).toBe(
    true,
  );
});
