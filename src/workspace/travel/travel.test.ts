import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, loopId, sharedRepository } from '../testing/shared-repository.ts';
import { commitCapture } from './fetch-work.ts';

const branch = `refs/heads/ralphd/${loopId}`;

test('a loop starts on a branch of its own, from the branch that was named', async () => {
  const shared = await sharedRepository();
  const { workingDirectory, commit } = await shared.machine('one', { ref: 'main' }).checkOut();
  const { sh } = shared.root;
  expect(filesIn(workingDirectory)).toEqual({
    '.gitignore': '*.log\n',
    'code.txt': 'first\n',
    'src/deep.txt': 'deep\n',
  });
  await sh(`cd "${workingDirectory}" && test "$(git branch --show-current)" = ralphd/${loopId}`);
  await sh(`cd "${workingDirectory}" && test -z "$(git status --porcelain)" && git fsck --no-dangling`);
  expect(await shared.refs()).toEqual({ 'refs/heads/main': commit });
});

test('uncommitted, untracked and deleted files travel; the index, the branch and ignored files stay untouched', async () => {
  const shared = await sharedRepository();
  const { root } = shared;
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  await root.sh(
    `cd "${tree}" && echo committed > code.txt && git commit -qam "of the agent" && echo staged > staged.txt && git add staged.txt
     echo changed > code.txt && echo new > new.txt && rm src/deep.txt && echo noise > x.log && printf '\\0\\377' > 'ä"\\b' && ln -s /etc/passwd link && echo run > tool && chmod +x tool`,
  );
  const before = await root.print(`cd "${tree}" && git status --porcelain && git rev-parse HEAD && git ls-files -s`);
  const { commit, head, leftBehind } = await one.capture({ epoch: 1 });
  expect(leftBehind).toEqual([]);
  expect(await root.print(`cd "${tree}" && git status --porcelain && git rev-parse HEAD && git ls-files -s`)).toBe(
    before,
  );

  const taken = await shared.machine('two').checkOut(commit);
  const { 'x.log': _ignored, ...expected } = filesIn(tree);
  expect(filesIn(taken.workingDirectory)).toEqual(expected);
  expect(taken.commit).toBe(head);
  expect(lstatSync(path.join(taken.workingDirectory, 'tool')).mode & 0o100).toBe(0o100);
  const status = await root.print(
    `cd "${taken.workingDirectory}" && git log --format=%s && git status --porcelain code.txt src`,
  );
  expect(status).toBe('of the agent\nfirst\n M code.txt\n D src/deep.txt\n');
});

test('a capture is a ref of its own that never moves; only those before the one that the journal names are deleted', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory } = await one.checkOut();
  shared.root.write(path.relative(shared.root.folder, path.join(workingDirectory, 'a.txt')), 'a');
  const first = await one.capture({ epoch: 1 });
  await shared.root.sh(`cd "${workingDirectory}" && echo b > b.txt`);
  const second = await one.capture({ epoch: 1 });
  const { 'refs/heads/main': _main, ...captures } = await shared.refs();
  expect(captures).toEqual({
    [`refs/ralphd/${loopId}/1/${first.commit}`]: first.commit,
    [`refs/ralphd/${loopId}/1/${second.commit}`]: second.commit,
  });
  // The journal may be about to name the second one.
  await one.prune({ epoch: 1, keep: first.commit });
  expect(Object.values(await shared.refs())).toContain(second.commit);
  await one.prune({ epoch: 1, keep: second.commit });
  expect(Object.values(await shared.refs())).not.toContain(first.commit);
  expect(Object.values(await shared.refs())).toContain(second.commit);
});

test('the next machine continues from the capture that the journal names, whatever an earlier owner pushes late', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory } = await one.checkOut();
  const write = async (tree: string, text: string) => await shared.root.sh(`cd "${tree}" && echo ${text} > work.txt`);
  await write(workingDirectory, 'journaled');
  const { commit } = await one.capture({ epoch: 1 });

  const two = shared.machine('two');
  const taken = await two.checkOut(commit);
  // The first owner was only frozen, and goes on.
  await write(workingDirectory, 'stale');
  const stale = await one.capture({ epoch: 1 });
  expect(await one.publish({ epoch: 1, commit: stale.commit })).toBe(true);
  await write(taken.workingDirectory, 'continued');
  const next = await two.capture({ epoch: 2 });
  expect(await one.publish({ epoch: 1, commit: stale.commit })).toBe(false);
  await one.prune({ epoch: 1, keep: commit });
  expect(await two.publish({ epoch: 2, commit: next.commit })).toBe(true);

  const third = await shared.machine('three').checkOut(next.commit);
  expect(filesIn(third.workingDirectory)).toMatchObject({ 'work.txt': 'continued\n' });
  await two.prune({ epoch: 2, keep: next.commit });
  expect(Object.keys(await shared.refs())).toEqual([
    'refs/heads/main',
    branch,
    `refs/ralphd/${loopId}/2/${next.commit}`,
  ]);
  await two.forget();
  expect(Object.keys(await shared.refs())).toEqual(['refs/heads/main', branch]);
});

test('an earlier owner that moves the branch is corrected by the next owner', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory } = await one.checkOut();
  const commitIn = async (tree: string, text: string) =>
    await shared.root.sh(`cd "${tree}" && echo ${text} > work.txt && git add . && git commit -qm ${text}`);
  const start = await one.capture({ epoch: 1 });
  const two = shared.machine('two');
  const taken = await two.checkOut(start.commit);
  await commitIn(workingDirectory, 'stale');
  const stale = await one.capture({ epoch: 1 });
  await one.publish({ epoch: 1, commit: stale.commit });
  expect(await shared.git(`log -1 --format=%s ${branch}`)).toBe('stale\n');
  await commitIn(taken.workingDirectory, 'right');
  const right = await two.capture({ epoch: 2 });
  await two.publish({ epoch: 2, commit: right.commit });
  expect(await shared.git(`log --format=%s ${branch}`)).toBe('right\nfirst\n');
});

test('branches, the protected files and a stash travel too', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  await shared.root.sh(
    `cd "${tree}" && git checkout -qb feature && echo f > f && git add f && git commit -qm f && git checkout -q -
     git update-ref refs/ralphd/${loopId}/base "$(git commit-tree -m base HEAD^{tree})"
     echo stashed > code.txt && git stash -q && git checkout -q --detach`,
  );
  const list = (folder: string) =>
    shared.root.print(`cd "${folder}" && git for-each-ref && git rev-parse HEAD && cat .git/HEAD`);
  const { commit } = await one.capture({ epoch: 1 });
  const taken = await shared.machine('two').checkOut(commit);
  expect(await list(taken.workingDirectory)).toBe(await list(tree));
  await shared.root.sh(`cd "${taken.workingDirectory}" && git stash pop -q && grep -q stashed code.txt && git fsck`);
});

test('a restarted worker finds the work tree as it was left', async () => {
  const shared = await sharedRepository();
  expect(shared.machine('one').resume()).toBeUndefined();
  const { workingDirectory } = await shared.machine('one').checkOut();
  await shared.root.sh(`cd "${workingDirectory}" && echo left > left.txt`);
  const again = shared.machine('one');
  expect(again.resume()).toEqual({ workingDirectory });
  const { commit } = await again.capture({ epoch: 1 });
  expect(await shared.git(`show ${commit}:left.txt`)).toBe('left\n');
  await again.remove();
  expect(again.resume()).toBeUndefined();
  expect(existsSync(workingDirectory)).toBe(false);
  await expect(again.capture({ epoch: 1 })).rejects.toMatchObject({ code: 'TRAVEL_NO_TREE' });
});

test('ignored files that the agent commits or stages are part of its work', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  await shared.root.sh(
    `cd "${tree}" && echo kept > kept.log && git add -f kept.log && git commit -qm kept && echo staged > staged.log && git add -f staged.log && echo no > no.log`,
  );
  const { commit } = await one.capture({ epoch: 1 });
  const files = filesIn((await shared.machine('two').checkOut(commit)).workingDirectory);
  expect(Object.keys(files).filter((name) => name.endsWith('.log'))).toEqual(['kept.log', 'staged.log']);
});

test('a file becomes a folder and a folder a link between two captures', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  await one.capture({ epoch: 1 });
  await shared.root.sh(
    `cd "${tree}" && rm code.txt && mkdir code.txt && echo inner > code.txt/inner && mv src elsewhere && ln -s elsewhere src`,
  );
  const { commit } = await one.capture({ epoch: 1 });
  const taken = (await shared.machine('two').checkOut(commit)).workingDirectory;
  expect(filesIn(taken)).toEqual({
    '.gitignore': '*.log\n',
    'code.txt/inner': 'inner\n',
    'elsewhere/deep.txt': 'deep\n',
    src: 'link',
  });
});

test('a file that is too large, a repository inside the tree and a pipe stay behind, and are named', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one', { maxFileBytes: 1000 });
  const { workingDirectory: tree } = await one.checkOut();
  await shared.root.sh(
    `cd "${tree}" && head -c 2000 /dev/zero > big && git init -q inner && echo x > inner/x && git init -q clone && cd clone && echo y > y && git add y && git commit -qm y && mkfifo ../pipe`,
  );
  const { commit, leftBehind } = await one.capture({ epoch: 1 });
  expect(leftBehind).toEqual([
    { path: 'clone/', why: 'a repository of its own' },
    { path: 'inner/', why: 'a repository of its own' },
    { path: 'big', why: 'too large' },
  ]);
  const files = filesIn((await shared.machine('two').checkOut(commit)).workingDirectory);
  expect(Object.keys(files)).toEqual(['.gitignore', 'code.txt', 'src/deep.txt']);
});

test.each(['rm -rf .git', 'rm -rf .git/objects/??', 'echo nonsense > .git/HEAD', 'git checkout -q --orphan none'])(
  'the files travel even after an agent ran "%s"',
  async (damage) => {
    const shared = await sharedRepository();
    const one = shared.machine('one');
    const { workingDirectory: tree } = await one.checkOut();
    await shared.root.sh(`cd "${tree}" && echo saved > saved.txt && git add . && git commit -qm work && ${damage}`);
    const { commit, leftBehind } = await one.capture({ epoch: 1 });
    expect(leftBehind).toEqual([{ path: '.git', why: 'unreadable' }]);
    const taken = await shared.machine('two').checkOut(commit);
    expect(filesIn(taken.workingDirectory)).toMatchObject({ 'saved.txt': 'saved\n', 'code.txt': 'first\n' });
    await shared.root.sh(`cd "${taken.workingDirectory}" && git fsck`);
  },
);

test('a repository with SHA-256 travels as well', async () => {
  const shared = await sharedRepository({ format: 'sha256' });
  const one = shared.machine('one');
  const { workingDirectory } = await one.checkOut();
  await shared.root.sh(`cd "${workingDirectory}" && echo new > new.txt`);
  const { commit } = await one.capture({ epoch: 1 });
  expect(commit).toHaveLength(64);
  const taken = await shared.machine('two').checkOut(commit);
  expect(filesIn(taken.workingDirectory)).toEqual(filesIn(workingDirectory));
});

test('a plain commit, such as the one that a loop started from, can be continued from', async () => {
  const shared = await sharedRepository();
  const { commit } = await shared.machine('one').checkOut();
  await shared.root.sh('git -C shared.git config uploadpack.allowAnySHA1InWant true');
  expect(await shared.machine('two').checkOut(commit)).toMatchObject({ commit });
});

test('what cannot be found or reached is refused with a reason, and passwords are not shown', async () => {
  const shared = await sharedRepository();
  const missing = 'f'.repeat(40);
  const from = (setting: object, commit?: string) => shared.machine('one', setting).checkOut(commit);
  await expect(from({ ref: 'nowhere' })).rejects.toMatchObject({ code: 'TRAVEL_NO_REF' });
  await expect(from({ ref: '--upload-pack=touch x' })).rejects.toMatchObject({ code: 'TRAVEL_NO_REF' });
  await expect(from({}, missing)).rejects.toMatchObject({ code: 'TRAVEL_NO_CAPTURE' });
  const repository = 'https://me:secret@127.0.0.1:1/x.git';
  await expect(from({ repository })).rejects.toMatchObject({
    code: 'TRAVEL_UNREACHABLE',
    message: expect.stringMatching(/^(?!.*secret).*https:\/\/127\.0\.0\.1:1\/x\.git/),
  });
  for (const address of ['', '-x', 'ext::sh -c touch', 'a\nb']) {
    expect(() => shared.machine('one', { repository: address })).toThrow('cannot be used');
  }
  await shared.root.sh('git init -q --bare empty.git');
  await expect(from({ repository: shared.root.at('empty.git') })).rejects.toMatchObject({ code: 'TRAVEL_EMPTY' });
});

test('a commit that git refuses, because it knows no author, is explained', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  const { commit: capture, head } = await one.capture({ epoch: 1 });
  await shared.root.sh(`cd "${tree}" && git config user.useConfigOnly true && git config --unset user.name || true`);
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  const committing = commitCapture(tree, { capture, head, uncommitted: [] }, { message: 'all of it', env });
  await expect(committing).rejects.toMatchObject({ code: 'LANDING_FAILED' });
});
