import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { land } from './land.ts';
import type { LandingRequest, LandingStep } from './land-plan.ts';
import { createLandingWorld, type LandingWorld } from './testing/landing.ts';

const commitFile = (name: string, text = name) =>
  `mkdir -p "$(dirname ${name})" && echo ${text} > ${name} && git add -A && git commit -qm "add ${name}"`;
const inWorktree = (line: string) => `cd ../repo.worktrees/alpha && ${line}`;
/** Two commits that conflict: one on `up`, one on `main`, which is checked out. */
const diverge = `git switch -q -c up && ${commitFile('file', 'up')} && git switch -q main && ${commitFile('file', 'main')}`;

/** Everything that a landing may change. */
async function stateOf({ sh }: LandingWorld): Promise<string> {
  return await sh('git for-each-ref refs/heads; git worktree list; git status --short; cat file; ls');
}

async function resultOf(request: LandingRequest): Promise<string> {
  try {
    return (await land(request)).result;
  } catch (error) {
    if (error instanceof LoopError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

test.each([
  ['the branch was deleted', 'git switch -q -c x && git branch -qD main', 'LANDING_NEEDS_BRANCH', 'no branch "main"'],
  ['the branch was renamed', 'git branch -m main trunk', 'LANDING_NEEDS_BRANCH', 'no branch "main"'],
  [
    'the branch is being rebased',
    `${diverge} && ! git rebase up`,
    'LANDING_UNDER_WAY',
    'A rebase on main is under way',
  ],
  ['a merge is not finished', `${diverge} && ! git merge up`, 'LANDING_UNDER_WAY', 'A merge on main is under way'],
  ['a cherry-pick is not finished', `${diverge} && ! git cherry-pick up`, 'LANDING_UNDER_WAY', 'A cherry-pick on main'],
  [
    'the commit must be signed and cannot be',
    `${commitFile('b')} && git config commit.gpgsign true && git config gpg.program false`,
    'LANDING_FAILED',
    'gpg failed to sign the data',
  ],
  [
    'the histories are unrelated',
    inWorktree('git checkout -q --orphan new && git commit -qm new && git switch -qC ralphd/alpha'),
    'LANDING_FAILED',
    'refusing to merge unrelated histories',
  ],
  [
    'a filter of git fails',
    `${inWorktree(`echo 'x filter=f' > .gitattributes && ${commitFile('x')}`)} && git config filter.f.smudge false && git config filter.f.clean cat && git config filter.f.required true`,
    'LANDING_FAILED',
    'smudge filter f failed',
  ],
  [
    'the branch of the loop was reset to where it started',
    inWorktree('git reset -q --hard main'),
    'NOTHING_TO_LAND',
    'no commits of its own',
  ],
])('nothing lands and nothing changes when %s', async (_when, line, code, text) => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('a'));
  await world.sh(line);
  const before = await stateOf(world);
  expect(await resultOf(loop)).toMatch(new RegExp(`^${code}: .*${text}`));
  expect(await stateOf(world)).toBe(before);
});

test('an unfinished merge in the worktree of the loop is not committed with "commit"', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('file', 'theirs'));
  await world.sh(commitFile('file', 'ours'));
  await world.sh(inWorktree('! git merge -q main'));
  expect(await resultOf({ ...loop, commit: true })).toMatch(
    /^LANDING_UNDER_WAY: A merge on ralphd\/alpha is under way/,
  );
  expect(await world.sh(inWorktree('git log -1 --format=%s; git status --short'))).toBe('add file\nUU file');
});

test('hooks of the repository neither run nor stop a landing', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('a')} && echo left > left`);
  await world.sh(commitFile('b'));
  const names = [
    'pre-commit',
    'commit-msg',
    'pre-merge-commit',
    'post-merge',
    'post-checkout',
    'reference-transaction',
  ];
  for (const name of names) {
    world.write(`.git/hooks/${name}`, `#!/bin/sh\ntouch ${world.at('.git/ran')}\nexit 1\n`);
    chmodSync(world.at(`.git/hooks/${name}`), 0o755);
  }
  expect(await land({ ...loop, commit: true })).toMatchObject({ result: 'landed', method: 'merge' });
  expect(world.has('.git/ran')).toBe(false);
  expect([world.read('a'), world.read('left')]).toEqual(['a\n', 'left\n']);
});

test('files that a filter converts, links and submodules land like any others', async () => {
  const world = await createLandingWorld();
  const filter = "git config filter.up.clean 'tr a-z A-Z' && git config filter.up.smudge 'tr A-Z a-z'";
  const submodule =
    'git init -q ../../sub && git -C ../../sub commit -q --allow-empty -m s && git -c protocol.file.allow=always submodule --quiet add ../../sub';
  await world.sh(`${filter} && git config filter.up.required true`);
  const made = `echo '*.up filter=up' > .gitattributes && ln -s file link && ${submodule} && ${commitFile('x.up')}`;
  const loop = await world.loop('alpha', made);
  // Git has written the files, and not yet moved the branch, when the first landing dies.
  await new Promise<void>((resolve) => {
    void land({ ...loop, onStep: (step) => (step === 'intended' ? new Promise(() => resolve()) : undefined) });
  });
  await world.sh('git checkout -q ralphd/alpha -- . && git reset -q');
  expect(await land(loop)).toMatchObject({ result: 'landed' });
  expect(await world.sh('cat x.up; git show HEAD:x.up; cat link; git status --short')).toBe('x.up\nX.UP\nfirst');
});

test('what is in the place of a new folder is named, even if git ignores it, and so is a dangling link', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('folder/x')} && ${commitFile('other')}`);
  world.write('.git/info/exclude', 'folder\nother\n');
  symlinkSync('/nowhere', world.at('folder'));
  symlinkSync('/nowhere', world.at('other'));
  expect(await resultOf(loop)).toMatch(/^LANDING_IN_THE_WAY: .*: folder, other\./);
  expect(await world.sh('readlink folder other')).toBe('/nowhere\n/nowhere');
  rmSync(world.at('folder'));
  rmSync(world.at('other'));
  expect(await resultOf(loop)).toBe('landed');
});

test('a branch that nobody has checked out moves alone, although the main work tree has its commit', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('a'));
  await world.sh('git checkout -q --detach');
  expect(await resultOf(loop)).toBe('landed');
  expect(await world.sh('git log --format=%s main; git status --short; ls')).toBe('add a\nfirst\ncheck.sh\nfile');
});

test('a branch that is deleted while the checks run stays deleted', async () => {
  const world = await createLandingWorld();
  await world.sh('git branch idle');
  const loop = { ...(await world.loop('alpha', commitFile('a'))), into: 'idle' };
  const onStep = async (step: LandingStep) => {
    if (step === 'intended') await world.sh('git branch -qD idle');
  };
  expect(await resultOf({ ...loop, onStep })).toMatch(/^LANDING_FAILED: .*somebody deleted the branch idle/);
  expect(await world.sh('git branch --format="%(refname:short)"')).toBe('main\nralphd/alpha');
});

test.each(['index.lock', 'refs/heads/main.lock'])(
  'the lock %s that git left is named, the tree stays clean, and landing continues without it',
  async (name) => {
    const world = await createLandingWorld();
    const loop = await world.loop('alpha', `${commitFile('a')} && ${commitFile('file', 'new')}`);
    world.write(`.git/${name}`, '');
    expect(await resultOf(loop)).toMatch(/^LANDING_LOCKED: /);
    expect(await world.sh('git --no-optional-locks status --short; cat file')).toBe('first');
    rmSync(world.at(`.git/${name}`));
    expect(await resultOf(loop)).toBe('landed');
  },
);

test('a lock that another git holds for a moment only delays a landing', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', commitFile('a'));
  const onStep = (step: LandingStep) => {
    if (step !== 'intended') return;
    world.write('.git/index.lock', '');
    setTimeout(() => rmSync(world.at('.git/index.lock')), 200);
  };
  expect(await resultOf({ ...loop, onStep })).toBe('landed');
});

test('files that git was in the middle of writing are completed, and an edit made since is not overwritten', async () => {
  const world = await createLandingWorld();
  const text = 'one-two-three';
  const loop = await world.loop('alpha', `${commitFile('a', text)} && ${commitFile('file', text)}`);
  await new Promise<void>((resolve) => {
    void land({ ...loop, onStep: (step) => (step === 'intended' ? new Promise(() => resolve()) : undefined) });
  });
  world.write('a', 'one-t');
  world.write('file', 'one-two by the user');
  expect(await resultOf(loop)).toMatch(/^LANDING_IN_THE_WAY: .*: file\./);
  expect(world.read('file')).toBe('one-two by the user');
  rmSync(world.at('file'));
  expect(await resultOf(loop)).toBe('landed');
  expect(await world.sh('cat a file; git status --short')).toBe(`${text}\n${text}`);
});

test('two loops that land in one branch at the same time both land', async () => {
  const world = await createLandingWorld();
  const one = await world.loop('alpha', commitFile('a'));
  const two = await world.loop('beta', commitFile('b'));
  expect(await Promise.all([resultOf(one), resultOf(two)])).toEqual(['landed', 'landed']);
  expect(await world.sh('ls; git status --short')).toBe('a\nb\ncheck.sh\nfile');
});

test('a loop that was only claimed to be complete lands as unverified, and ignored files do not keep its worktree', async () => {
  const world = await createLandingWorld();
  const loop = await world.loop('alpha', `${commitFile('a')} && echo ignored >> .git-ignored`, {
    verify: [],
    trustPromise: true,
  });
  await world.sh('echo .git-ignored >> .git/info/exclude');
  const claimed = {
    ...loop,
    loop: { ...loop.loop, gate: { ...loop.loop.gate, checks: [] }, outcome: { ...loop.loop.outcome, verified: false } },
  };
  expect(await land(claimed)).toMatchObject({ result: 'landed', verified: false, checks: 0, kept: [] });
  expect(existsSync(path.join(world.folder, '../repo.worktrees/alpha'))).toBe(false);
});

test.each([
  ['the temporary work tree', 'checkout'],
  ['the tree of the user', 'merge'],
])(
  'a disk that is full while git writes %s changes nothing, and landing works when there is space again',
  async (_where, command) => {
    const world = await createLandingWorld();
    const loop = await world.loop('alpha', `seq 20000 > file && ${commitFile('a')}`);
    const bin = path.join(world.folder, '../bin');
    mkdirSync(bin);
    // A limit on the size of files fails as a full disk does.
    const lines = [
      '#!/bin/sh',
      `case "$*" in *" ${command} "*) trap '' XFSZ; ulimit -f 8;; esac`,
      'exec /usr/bin/git "$@"',
    ];
    writeFileSync(path.join(bin, 'git'), lines.join('\n'), { mode: 0o755 });
    const env = { ...world.env, PATH: `${bin}:${world.env['PATH']}` };
    const before = await stateOf(world);
    expect(await resultOf({ ...loop, context: { ...loop.context, env } })).toMatch(
      /^LANDING_FAILED: .*unable to write file/,
    );
    expect(await stateOf(world)).toBe(before);
    expect(await resultOf(loop)).toBe('landed');
    expect(await world.sh('wc -l < file; git status --short')).toBe('20000');
  },
);
