import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type CommandLine, createCommandLine, type Ended } from './testing/command-line.ts';

interface Repository extends CommandLine {
  /** The folder with the worktrees of loops. */
  readonly worktrees: string;
  sh(line: string): Promise<string>;
  /** Runs a command line with `--json` and returns the last object that it prints. */
  ask(args: readonly string[], cwd?: string): Promise<Record<string, unknown>>;
}

const run = (...more: readonly string[]) => [
  'run',
  'Make it',
  '--agent-command',
  './agent.sh',
  '--verify',
  './check.sh',
  '--delay',
  '0s',
  ...more,
];

/** A repository with one commit: an agent that commits its work, and a check that wants it. */
async function createRepository(): Promise<Repository> {
  const line = createCommandLine();
  const { folder, write } = line;
  const worktrees = `${folder}.worktrees`;
  onTestFinished(() => rmSync(worktrees, { recursive: true, force: true }));
  const sh = async (command: string) => {
    const env = { PATH: '/usr/bin:/bin', HOME: path.join(folder, 'home') };
    return (await promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder, env })).stdout.trim();
  };
  write('.gitignore', 'home\nheard\ngo\n');
  write(
    'agent.sh',
    '#!/bin/sh\ncat > heard; touch done; git add -A; git commit -qm done; echo "<promise>DONE</promise>"\n',
  );
  await sh(
    'git init -q -b main && git config user.name A && git config user.email a@b && git add -A && git commit -qm first',
  );
  return {
    ...line,
    worktrees,
    sh,
    ask: async (args, cwd) => lastObject(await line.run([...args, '--json'], {}, cwd)),
  };
}

function lastObject({ stdout }: Ended): Record<string, unknown> {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

/** The last object that a command line prints, if its loop can find a state without its process. */
function loopsOf(answer: Record<string, unknown>): readonly Record<string, unknown>[] {
  return answer['loops'] as readonly Record<string, unknown>[];
}

test('a loop with a worktree works there, keeps its state in the project, and is found from every tree of the repository', async () => {
  const repository = await createRepository();
  const { folder, worktrees, sh } = repository;
  repository.write('ralphd.yml', 'maxIterations: 5\n');
  await sh('git add -A && git commit -qm settings && git worktree add -q ../"$(basename "$PWD")".worktrees/mine');
  repository.write('mine.txt', 'not committed');
  const ended = await repository.run(run('--worktree=feature'));
  expect(ended.code).toBe(0);
  const place = path.join(worktrees, 'feature');
  expect(ended.stderr).toContain(
    '! The worktree starts from the last commit: it does not have the uncommitted changes to mine.txt.',
  );
  expect(ended.stderr).toContain(`worktree ${place}, branch ralphd/feature, from main at `);
  expect(ended.stdout).toMatch(/to merge ralphd\/feature: ralphd land ralph-make-it-[0-9a-f]{8}\n/);
  expect([repository.has('done'), existsSync(path.join(place, 'done'))]).toEqual([false, true]);
  const baseCommit = await sh('git rev-parse main');
  const worktree = { path: place, branch: 'ralphd/feature', baseBranch: 'main', baseCommit };
  for (const cwd of [folder, place, path.join(worktrees, 'mine')]) {
    expect(loopsOf(await repository.ask(['ls'], cwd))).toMatchObject([{ status: 'completed', worktree }]);
    expect(await repository.ask(['status'], cwd)).toMatchObject({ workingDirectory: place, worktree });
  }
  expect((await repository.ask(['inspect'], place))['worktree']).toEqual(worktree);
  expect((await repository.run(['status'])).stdout).toMatch(/next +ralphd land ralph-make-it-/);
  expect((await repository.run(['ls'])).stdout).toContain('not landed');
  expect(await repository.ask(['land'], place)).toMatchObject({
    result: 'landed',
    kept: [
      { what: place, why: 'you are in it' },
      { what: 'ralphd/feature', why: 'you are in it' },
    ],
  });
  expect((await repository.run(['ls'])).stdout).toContain('landed in main');
  expect(await repository.ask(['status'])).toMatchObject({ landed: { into: 'main', method: 'fast-forward' } });
  const gc = await repository.run(['gc']);
  expect(gc.stdout).toContain(`removed: ${place} (`);
  expect(await sh('git branch --list "ralphd/*"')).toBe('');
  expect(await repository.ask(['inspect', '--diff'])).toMatchObject({ changes: { files: [{ path: 'done' }] } });
});

test('a worktree gets the id of its loop as its name, and rm keeps one that has not landed and removes it with --force', async () => {
  const repository = await createRepository();
  const { loopId } = await repository.ask(run('--worktree'));
  const place = path.join(repository.worktrees, String(loopId));
  expect((await repository.run(['gc', '--dry-run'])).stdout).toContain(`kept: ${place} (it has not landed)`);
  expect(await repository.ask(['rm', String(loopId)])).toMatchObject({
    kept: [
      { what: place, why: 'it has not landed' },
      { what: `ralphd/${String(loopId)}`, why: 'it has not landed' },
    ],
  });
  expect(existsSync(place)).toBe(true);
  const { loopId: other } = await repository.ask(run('--worktree=other'));
  writeFileSync(path.join(repository.worktrees, 'other', 'left'), '');
  expect(await repository.ask(['rm', String(other), '--force'])).toMatchObject({
    kept: [],
    removed: expect.arrayContaining([path.join(repository.worktrees, 'other'), 'ralphd/other']),
  });
});

test('a worktree that cannot be created is refused with the reason, and nothing is left of it', async () => {
  const repository = await createRepository();
  const { sh, ask, worktrees } = repository;
  await sh('git branch ralphd/taken');
  mkdirSync(path.join(worktrees, 'folder'), { recursive: true });
  const refused = async (...more: readonly string[]) => (await ask(run(...more)))['code'];
  expect(await refused('--worktree=taken')).toBe('WORKTREE_TAKEN');
  expect(await refused('--worktree=folder')).toBe('WORKTREE_TAKEN');
  expect(await refused('--worktree=a/b')).toBe('BAD_VALUE');
  expect(await refused('--worktree=a..b')).toBe('BAD_VALUE');
  expect(await refused('--worktree', 'name')).toBe('BAD_VALUE');
  repository.write('ralphd.yml', 'worktreeDir: check.sh\n');
  expect(await refused('--worktree=new')).toBe('WORKTREE_NOT_CREATED');
  repository.write('ralphd.yml', 'worktreeDir: .ralph/trees\n');
  expect(await refused('--worktree=new')).toBe('WORKTREE_NOT_CREATED');
  repository.write('ralphd.yml', 'worktreeSetup: "echo no network; exit 3"\n');
  const setup = await ask(run('--worktree=new'));
  expect(setup).toMatchObject({
    code: 'WORKTREE_SETUP_FAILED',
    message: '"echo no network; exit 3" of "worktreeSetup" exited with code 3: no network.',
  });
  repository.write('ralphd.yml', 'persistence: { enabled: false }\n');
  expect(await refused('--worktree=new')).toBe('WORKTREE_NEEDS_STATE');
  rmSync(path.join(repository.folder, 'ralphd.yml'));
  await sh('git rm -q --cached agent.sh && git commit -qm "without the agent"');
  expect(await refused('--worktree=new')).toBe('AGENT_NOT_FOUND');
  expect(await sh('git branch --list "ralphd/*"; git worktree list | wc -l')).toBe('ralphd/taken\n1');
  expect(existsSync(path.join(worktrees, 'new'))).toBe(false);
});

test('a folder outside git, a repository without a commit, a bare one and one with submodules get no worktree', async () => {
  const repository = await createRepository();
  const { sh, ask, folder } = repository;
  const answer = async () => await ask(run('--worktree'));
  await sh('git config -f .gitmodules submodule.x.path x && git add .gitmodules && git commit -qm submodules');
  expect(await answer()).toMatchObject({
    code: 'WORKTREE_UNSUPPORTED',
    message: expect.stringContaining('submodules'),
  });
  await sh('git checkout -q --orphan fresh');
  expect(await answer()).toMatchObject({ code: 'WORKTREE_UNSUPPORTED', message: expect.stringContaining('no commit') });
  await sh(
    'git checkout -q -f main && git clone -q --bare . home/bare.git && git -C home/bare.git worktree add -q ../linked',
  );
  const linked = path.join(folder, 'home', 'linked');
  expect(await ask(run('--worktree'), linked)).toMatchObject({
    code: 'WORKTREE_UNSUPPORTED',
    message: expect.stringContaining('the main repository is bare'),
  });
  await sh('rm -rf .git');
  expect(await answer()).toMatchObject({ code: 'WORKTREE_NEEDS_GIT' });
  expect(repository.has('.ralph')).toBe(false);
});

test('a loop that starts without a branch lands only in a branch that is named', async () => {
  const repository = await createRepository();
  await repository.sh('git checkout -q --detach');
  await repository.ask(run('--worktree=feature'));
  expect(await repository.ask(['land'])).toMatchObject({ code: 'LANDING_NEEDS_BRANCH' });
  expect(await repository.ask(['land', '--into', 'main', '--dry-run'])).toMatchObject({ result: 'would_land' });
  expect(await repository.ask(['land', '--merge', '--squash'])).toMatchObject({ code: 'CONFLICTING_OPTIONS' });
  const landed = await repository.run(['land', '--into', 'main', '--squash']);
  expect(landed.stdout).toMatch(/has landed in main \(squash, [0-9a-f]{12}\): its check passed on the merged work\.\n/);
  expect((await repository.run(['land'])).stdout).toMatch(/has already landed in main \(squash, [0-9a-f]{12}\)\.\n/);
});

test('a prompt file that is not committed is read from where the user has it, and worktreeSetup prepares both trees', async () => {
  const repository = await createRepository();
  repository.write('PROMPT.md', 'The task in a file');
  repository.write('ralphd.yml', 'worktreeSetup: "mkdir node_modules && touch node_modules/dep"\n');
  repository.write('.gitignore', 'home\nheard\nnode_modules\nPROMPT.md\nralphd.yml\n.gitignore\n');
  repository.write('check.sh', '#!/bin/sh\ntest -f done && test -f node_modules/dep\n');
  await repository.sh('git add -f .gitignore check.sh && git commit -qm check');
  const [, , ...options] = run('--worktree=feature');
  expect((await repository.run(['run', ...options])).code).toBe(0);
  const prompt = readFileSync(path.join(repository.worktrees, 'feature', 'heard'), 'utf8');
  expect(prompt).toContain('The task in a file');
  expect(await repository.ask(['land'])).toMatchObject({ result: 'landed', verified: true });
});

test('a second loop in one work tree is refused while the first works, unless it gets its own tree or is forced; so is a resume', async () => {
  const repository = await createRepository();
  const { ask, folder } = repository;
  repository.write('slow.sh', `#!/bin/sh\nwhile test ! -f ${folder}/go; do sleep 0.05; done\nexec ./agent.sh\n`);
  chmodSync(path.join(folder, 'slow.sh'), 0o755);
  await repository.sh('git add -A && git commit -qm slow');
  const paused = await ask(run('--loop-id', 'paused', '--on-limit', 'pause', '-n', '1', '--agent-command', 'true'));
  expect(paused['status']).toBe('paused');
  const first = repository.run(run('--loop-id', 'first', '--agent-command', './slow.sh'));
  await expect.poll(async () => loopsOf(await ask(['ls'])).map(({ status }) => status)).toContain('running');
  const { loopId } = loopsOf(await ask(['ls'])).find(({ status }) => status === 'running') ?? {};
  expect(await ask(run())).toMatchObject({
    code: 'WORK_TREE_IN_USE',
    message: `Another loop works in ${folder}: ${String(loopId)} (running). Each would count the other's changes as its own.`,
    hint: expect.stringContaining('--worktree'),
  });
  expect(await ask(['resume', String(paused['loopId']), '-n', '2'])).toMatchObject({ code: 'WORK_TREE_IN_USE' });
  // The state of a loop may be anywhere: what counts is where it works.
  const elsewhere = await ask(run('--state-dir', 'home/elsewhere'));
  expect(elsewhere).toMatchObject({ code: 'WORK_TREE_IN_USE', message: expect.stringContaining(String(loopId)) });
  expect(repository.has('home/elsewhere')).toBe(false);
  expect(await ask(run('--worktree=own'))).toMatchObject({ status: 'completed' });
  expect(await ask(['resume', String(paused['loopId']), '-n', '2', '--force'])).toMatchObject({
    reason: 'max_iterations',
  });
  repository.write('go', '');
  expect((await first).code).toBe(0);
});

test('a loop whose worktree is gone is not resumed, and says how to bring it back', async () => {
  const repository = await createRepository();
  const { ask, worktrees, sh } = repository;
  const options = run('--worktree=feature', '--on-limit', 'pause', '-n', '1', '--agent-command', 'true');
  const { loopId } = await ask(options);
  const place = path.join(worktrees, 'feature');
  await sh(`git worktree remove --force ${place}`);
  expect(await ask(['resume', String(loopId), '-n', '2'])).toMatchObject({
    code: 'WORKTREE_GONE',
    hint: `If its branch still exists, bring it back: git worktree add ${place} ralphd/feature`,
  });
  await sh(`git worktree add ${place} ralphd/feature`);
  const changed = ['--agent-command', './agent.sh'];
  expect(await ask(['resume', String(loopId), '-n', '2', ...changed])).toMatchObject({ status: 'completed' });
  expect(existsSync(path.join(place, 'done'))).toBe(true);
});

test('an ended loop continues on the branch that it has', async () => {
  const repository = await createRepository();
  const { loopId } = await repository.ask(run('--worktree=feature', '-n', '1', '--agent-command', 'true'));
  const next = await repository.ask(['resume', String(loopId), '-n', '3', '--agent-command', './agent.sh']);
  expect(next).toMatchObject({ status: 'completed' });
  expect(await repository.ask(['status', String(next['loopId'])])).toMatchObject({
    worktree: { branch: 'ralphd/feature', baseBranch: 'main' },
  });
  expect(await repository.ask(['land', String(next['loopId'])])).toMatchObject({ result: 'landed' });
});
