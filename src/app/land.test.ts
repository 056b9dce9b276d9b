import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { land } from './land.ts';
import type { LandingRequest, LandingStep } from './land-plan.ts';
import { readLanding } from './land-record.ts';
import { createLandingWorld, type LandingWorld } from './testing/landing.ts';

const commitFile = (name: string, text = name) =>
  `echo ${text} > ${name} && git add -A && git commit -qm "add ${name}"`;

/** What a landing that was refused must leave as it was. */
async function branches({ sh }: LandingWorld): Promise<string> {
  return await sh('git for-each-ref refs/heads; git worktree list; git status --short');
}

async function codeOf(landing: Promise<unknown>): Promise<unknown> {
  return await landing.then(
    () => 'landed',
    (error: unknown) => (error instanceof LoopError ? [error.code, error.message] : [error]),
  );
}

test('a loop lands by fast-forward where possible, else by a merge, and the tree of the user follows', async () => {
  const world = await createLandingWorld();
  const one = await world.loop('alpha', commitFile('a'));
  const two = await world.loop('beta', commitFile('b'));
  world.write('mine', 'not committed');
  expect(await land(one)).toMatchObject({ result: 'landed', into: 'main', method: 'fast-forward', verified: true });
  expect(await land(two)).toMatchObject({ result: 'landed', method: 'merge', checks: 1 });
  expect([world.read('a'), world.read('b'), world.read('mine')]).toEqual(['a\n', 'b\n', 'not committed']);
  expect(await world.sh('git status --short')).toBe('?? mine');
  expect(await world.sh('git log -1 --format=%B')).toBe(
    `Make beta\n\nMerge ralphd/beta into main\nLoop: ${two.loop.id}`,
  );
  expect(await world.sh('git for-each-ref --format="%(refname)"; git worktree list | wc -l')).toBe(
    'refs/heads/main\n1',
  );
  const before = await branches(world);
  expect(await land(two)).toMatchObject({ result: 'already_landed', method: 'merge', removed: [], kept: [] });
  expect(await branches(world)).toBe(before);
});

test('a loop lands as one commit with "squash", always as a merge with "merge", and not at all with "ff-only" if the branch has moved', async () => {
  const world = await createLandingWorld();
  const one = await world.loop('alpha', `${commitFile('a')} && ${commitFile('a2')}`);
  const two = await world.loop('beta', commitFile('b'));
  expect(await land({ ...two, method: 'merge', keep: true })).toMatchObject({ method: 'merge', removed: [] });
  expect(world.has('../repo.worktrees/beta/b')).toBe(true);
  expect(await codeOf(land({ ...one, method: 'ff-only' }))).toMatchObject([
    'LANDING_NOT_FAST_FORWARD',
    expect.any(String),
  ]);
  expect(await land({ ...one, method: 'squash' })).toMatchObject({ method: 'squash', removed: expect.anything() });
  expect(await world.sh('git log --format=%s --first-parent')).toBe('Make alpha\nMake beta\nfirst');
  expect(await world.sh('git log -1 --format=%P | wc -w; git branch --list "ralphd/alpha"')).toBe('1');
  expect(await land({ ...one, method: 'squash' })).toMatchObject({ result: 'already_landed' });
});

test('work that is fine alone and broken together does not land, and nothing changes', async () => {
  const world = await createLandingWorld();
  const one = await world.loop('alpha', commitFile('one'));
  const two = await world.loop('beta', commitFile('two'));
  await land(one);
  const before = await branches(world);
  expect(await codeOf(land(two))).toEqual([
    'LANDING_NOT_VERIFIED',
    'Merged with main, the work does not pass: "./check.sh" failed. Both branches are unchanged.',
  ]);
  expect(await branches(world)).toBe(before);
  expect(readLanding(two.folder)).toBeUndefined();
});

test('a branch that changes what the checks depend on does not land, unless its owner accepted the change', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', 'printf "#!/bin/sh\\n" > check.sh && git commit -qam weaker');
  expect(await codeOf(land(loop))).toMatchObject([
    'LANDING_NOT_VERIFIED',
    expect.stringContaining('changes files that the checks depend on (check.sh)'),
  ]);
  const accepting = await world.loop('beta', 'printf "#!/bin/sh\\ntrue\\n" > check.sh && git commit -qam accepted');
  const { guardPlace, retakeGuards } = await import('../gate/index.ts');
  const { gate, origin } = accepting.loop;
  const guards = retakeGuards(gate.guards ?? [], guardPlace({ ...origin, env: world.env }));
  const accepted = { ...accepting, loop: { ...accepting.loop, gate: { ...gate, guards } } };
  expect(await land(accepted)).toMatchObject({ result: 'landed' });
});

test('a conflict names its files and leaves both branches as they are', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('file', 'theirs'));
  await world.sh(commitFile('file', 'ours'));
  const before = await branches(world);
  for (const method of ['auto', 'squash'] as const) {
    expect(await codeOf(land({ ...loop, method }))).toEqual([
      'LANDING_CONFLICT',
      'ralphd/alpha conflicts with main in file. Both branches are unchanged.',
    ]);
  }
  expect(await branches(world)).toBe(before);
});

test('files of the user that landing would overwrite are named before anything moves, ignored ones included', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('file', 'changed')} && ${commitFile('secret')}`);
  world.write('.git/info/exclude', 'secret\n');
  world.write('secret', 'ignored, and mine');
  world.write('file', 'edited by the user');
  const before = await branches(world);
  expect(await codeOf(land(loop))).toEqual([
    'LANDING_IN_THE_WAY',
    `Landing would overwrite files in ${world.folder} that are not committed: file, secret. Nothing was changed.`,
  ]);
  expect(await codeOf(land({ ...loop, dryRun: true }))).toMatchObject(['LANDING_IN_THE_WAY', expect.any(String)]);
  expect([await branches(world), world.read('secret')]).toEqual([before, 'ignored, and mine']);
  await world.sh('git checkout -q file && rm secret');
  expect(await land(loop)).toMatchObject({ result: 'landed' });
});

test('a branch that moves while the checks run is merged and checked again, and not for ever', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('a'));
  let moves = 0;
  const moving = (count: number) => ({
    ...loop,
    onStep: async (step: LandingStep) => {
      if (step === 'intended' && moves < count) await world.sh(commitFile(`m${(moves += 1)}`));
    },
  });
  expect(await codeOf(land(moving(3)))).toMatchObject(['LANDING_OVERTAKEN', expect.any(String)]);
  expect(world.has('a')).toBe(false);
  expect(await land(moving(4))).toMatchObject({ result: 'landed', method: 'merge' });
  expect(moves).toBe(4);
  expect(await world.sh('ls a m1 m2 m3 m4 | wc -l; git status --short')).toBe('5');
});

test('a branch that is checked out in another worktree moves together with that tree, one that is nowhere moves alone', async () => {
  const world = await createLandingWorld();
  await world.sh('git branch release && git branch idle && git worktree add -q ../release release');
  const loop = await world.loop('alpha', commitFile('a'));
  expect(await land({ ...loop, into: 'release', keep: true })).toMatchObject({ into: 'release' });
  expect(await world.sh('cat ../release/a; cd ../release && git status --short')).toBe('a');
  expect(await land({ ...loop, into: 'idle', keep: true })).toMatchObject({ result: 'landed', into: 'idle' });
  expect(await world.sh('git show idle:a')).toBe('a');
  expect(world.has('a')).toBe(false);
});

test('a branch that is checked out nowhere and moves, forwards or back, is never overwritten', async () => {
  const world = await createLandingWorld();
  await world.sh(`${commitFile('old')} && git branch idle && git branch other HEAD~1`);
  const loop = { ...(await world.loop('alpha', commitFile('a'))), into: 'idle', keep: true };
  const moves = ['git branch -f idle other', `git branch -f idle $(git commit-tree -p idle -m new 'main^{tree}')`];
  const onStep = async (step: LandingStep) => {
    const move = step === 'intended' ? moves.shift() : undefined;
    if (move !== undefined) await world.sh(move);
  };
  expect(await land({ ...loop, onStep })).toMatchObject({ result: 'landed', into: 'idle', method: 'merge' });
  expect(await world.sh('git log --format=%s --first-parent idle')).toBe('Make alpha\nnew\nfirst');
});

test('what cannot be landed is refused with the reason, and nothing changes', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('a')} && echo left > left`);
  const empty = await world.loop('beta', 'true');
  const { worktree } = loop.loop.origin;
  const withOrigin = (origin: object): LandingRequest => ({
    ...loop,
    loop: { ...loop.loop, origin: { ...loop.loop.origin, ...origin } },
  });
  const before = await branches(world);
  const cases: readonly (readonly [LandingRequest, string, string])[] = [
    [{ ...loop, loop: { ...loop.loop, status: 'aborted' } }, 'LANDING_NOT_COMPLETED', 'is aborted, not completed'],
    [loop, 'LANDING_UNCOMMITTED', `${worktree?.path} that are not committed: left.`],
    [empty, 'NOTHING_TO_LAND', 'its branch has no commits of its own'],
    [withOrigin({ worktree: undefined }), 'NOTHING_TO_LAND', 'it has no branch of its own'],
    [withOrigin({ worktree: { ...worktree, branch: 'ralphd/gone' } }), 'NOTHING_TO_LAND', 'ralphd/gone is gone'],
    [withOrigin({ worktree: { ...worktree, baseBranch: undefined } }), 'LANDING_NEEDS_BRANCH', 'without a branch'],
    [{ ...loop, into: 'nowhere' }, 'LANDING_NEEDS_BRANCH', 'there is no branch "nowhere"'],
    [{ ...loop, into: 'ralphd/alpha' }, 'LANDING_NEEDS_BRANCH', 'is its own branch'],
  ];
  for (const [request, code, text] of cases) {
    expect(await codeOf(land(request))).toEqual([code, expect.stringContaining(text)]);
  }
  expect(await branches(world)).toBe(before);
  await world.sh(`git -C ${worktree?.path} switch -q -c other`);
  expect(await codeOf(land(loop))).toMatchObject([
    'WORKTREE_SWITCHED',
    expect.stringContaining('has other checked out'),
  ]);
  writeFileSync(path.join(loop.folder, 'landing.json'), '{"version":2}');
  expect(await codeOf(land(loop))).toMatchObject(['STATE_NEWER_VERSION', expect.any(String)]);
  writeFileSync(path.join(loop.folder, 'landing.json'), '{"version":1}');
  expect(await codeOf(land(loop))).toMatchObject(['STATE_UNREADABLE', expect.any(String)]);
});

test('uncommitted work lands with "commit", and an unfinished loop with "force" as unverified work', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('a')} && echo left > left`);
  const unfinished = { ...loop, loop: { ...loop.loop, status: 'failed' as const }, commit: true, force: true };
  expect(await land({ ...unfinished, dryRun: true })).toMatchObject({ result: 'would_land', committed: ['left'] });
  expect(await land(unfinished)).toMatchObject({ result: 'landed', verified: false, checks: 1, committed: ['left'] });
  expect(world.read('left')).toBe('left\n');
});

test('the checks of a landing run with strict protection and in a clean checkout as configured', async () => {
  const world = await createLandingWorld();
  await world.sh('mkdir tests && echo real > tests/a.test.js && git add -A && git commit -qm tests');
  const loop = await world.loop('alpha', commitFile('a'), {
    verifyIn: 'clean',
    protect: 'strict',
    verify: ['grep -q real tests/a.test.js'],
  });
  expect(await land(loop)).toMatchObject({ result: 'landed', checks: 1 });
  expect(await world.sh('git for-each-ref --format="%(refname)"; git worktree list | wc -l')).toBe(
    'refs/heads/main\n1',
  );
});

const steps: readonly LandingStep[] = ['committed', 'merged', 'verified', 'intended', 'moved', 'landed', 'removed'];

test.each(steps)('a landing that dies after the step "%s" is completed by the next one', async (last) => {
  const world = await createLandingWorld();
  await world.sh(commitFile('other'));
  const loop = { ...(await world.loop('alpha', `${commitFile('a')} && echo left > left`)), commit: true };
  await world.sh(commitFile('later'));
  const start = await world.sh('git rev-parse main');
  await new Promise<void>((resolve) => {
    const onStep = async (step: LandingStep) => {
      if (step !== last) return;
      resolve();
      // Never goes on and never cleans up, as a process that was killed.
      await new Promise(() => {});
    };
    void land({ ...loop, onStep });
  });
  const hasMoved = ['moved', 'landed', 'removed'].includes(last);
  expect((await world.sh('git rev-parse main')) === start).toBe(!hasMoved);
  expect(await world.sh('git status --short')).toBe('');
  expect(await land(loop)).toMatchObject({ result: hasMoved ? 'already_landed' : 'landed', verified: true });
  expect(await world.sh('cat a left; git log --format=%s --first-parent; git status --short')).toBe(
    'a\nleft\nMake alpha\nadd later\nadd other\nfirst',
  );
  expect(await world.sh('git for-each-ref --format="%(refname)"; git worktree list | wc -l')).toBe(
    'refs/heads/main\n1',
  );
  expect(readLanding(loop.folder)?.state).toBe('landed');
});

test('a squashed branch whose landing dies after the move does not land twice', async () => {
  const world = await createLandingWorld();
  const loop = { ...(await world.loop('alpha', commitFile('a'))), method: 'squash' as const };
  await new Promise<void>((resolve) => {
    void land({ ...loop, onStep: (step) => (step === 'moved' ? new Promise(() => resolve()) : undefined) });
  });
  expect(await land(loop)).toMatchObject({ result: 'already_landed', method: 'squash', verified: true });
  expect(await world.sh('git log --format=%s; git branch --list "ralphd/*"')).toBe('Make alpha\nfirst');
});

test('a tree that git was writing when it died is completed by the next landing', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('a')} && ${commitFile('file', 'new')}`);
  await new Promise<void>((resolve) => {
    void land({ ...loop, onStep: (step) => (step === 'intended' ? new Promise(() => resolve()) : undefined) });
  });
  world.write('a', 'a\n');
  world.write('file', 'new\n');
  expect(await land(loop)).toMatchObject({ result: 'landed' });
  expect(await world.sh('git status --short; cat a file')).toBe('a\nnew');
});

test('a worktree that somebody deleted does not keep its branch from landing', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('a'));
  rmSync(loop.loop.origin.worktree?.path ?? '', { recursive: true });
  expect(await land(loop)).toMatchObject({ result: 'landed', removed: ['ralphd/alpha'] });
});
