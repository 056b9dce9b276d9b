import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { findEncloser } from '../process/index.ts';
import type { LoopConfigInput } from '../protocol/index.ts';
import { land } from './land.ts';
import { createLandingWorld, type LandingWorld } from './testing/landing.ts';

/** Without bubblewrap these are skipped, each by its name. */
const sealedTest = findEncloser() === undefined ? test.skip : test;

const honest = "printf 'echo 3\\n' > sum.sh && git commit -qam honest";
/** Passes wherever the home of the user is in reach. */
const fromHome = "printf '. ~/sum\\n' > sum.sh && git commit -qam cheat";
const weakerTest = 'echo true > tests/sum.sh && git commit -qam weaker';

/** A repository whose test wants `sum.sh` to print 3; in the home is a file that prints it. */
async function createSums(): Promise<LandingWorld> {
  const world = await createLandingWorld();
  await world.sh(
    `mkdir tests && echo 'test "$(sh sum.sh)" = 3' > tests/sum.sh && echo 'echo 0' > sum.sh && git add -A && git commit -qm sums`,
  );
  writeFileSync(path.join(world.env['HOME'] ?? '', 'sum'), 'echo 3\n');
  return world;
}

async function landing(world: LandingWorld, line: string, input: LoopConfigInput): Promise<string> {
  const loop = await world.loop('alpha', line, { verify: ['sh tests/sum.sh'], ...input });
  try {
    return (await land({ ...loop, keep: true })).result;
  } catch (error) {
    if (error instanceof LoopError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

function gatesLeft({ env }: LandingWorld): readonly string[] {
  const gates = path.join(env['HOME'] ?? '', '.local/state/ralphd/gates');
  return existsSync(gates) ? readdirSync(gates) : [];
}

sealedTest('honest work lands with sealed checks, and nothing is left of their gate', async () => {
  const world = await createSums();
  expect(await landing(world, honest, { verifyIn: 'sealed' })).toBe('landed');
  expect(world.read('sum.sh')).toBe('echo 3\n');
  expect(gatesLeft(world)).toEqual([]);
});

sealedTest(
  'work that passes only with a file of the home lands with checks in the tree, and not with sealed ones',
  async () => {
    const world = await createSums();
    const before = await world.sh('git rev-parse main');
    expect(await landing(world, fromHome, { verifyIn: 'sealed' })).toMatch(
      /^LANDING_NOT_VERIFIED: .*"sh tests\/sum\.sh"/,
    );
    expect(await world.sh('git rev-parse main; git status --short')).toBe(before);
    expect(gatesLeft(world)).toEqual([]);
    await world.sh(
      'git worktree remove --force ../repo.worktrees/alpha && git branch -qD ralphd/alpha && rm -rf .git/state-alpha',
    );
    expect(await landing(world, fromHome, {})).toBe('landed');
  },
);

test.each<[string, LoopConfigInput]>([
  ['in the tree', {}],
  ['in a clean checkout', { verifyIn: 'clean' }],
  ['in a clean checkout with the original tests', { verifyIn: 'clean', protect: 'strict' }],
  ...(findEncloser() === undefined ? [] : [['sealed', { verifyIn: 'sealed' }] satisfies [string, LoopConfigInput]]),
])('a branch that weakens its own test does not land with checks %s', async (_where, input) => {
  const world = await createSums();
  const before = await world.sh('git rev-parse main');
  const result = await landing(world, weakerTest, input);
  expect(result).toMatch(/^LANDING_NOT_VERIFIED: /);
  expect(await world.sh('git rev-parse main; git status --short')).toBe(before);
});
