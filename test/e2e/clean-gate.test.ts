import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, endLine, eventually, factsOf, loopIds, type Project, promptOf } from '../support/project.ts';

const claim = 'echo "<promise>DONE</promise>"';
const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json'];

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

/** A repository whose test wants `sum.sh` to add; the agent does what the lines say and claims to be done. */
function projectWhoseAgent(...lines: readonly string[]): Project {
  const project = createProject();
  mkdirSync(path.join(project.folder, 'tests'));
  project.script('agent.sh', 'cat > /dev/null', 'echo more >> work', ...lines, claim);
  project.script('sum.sh', 'echo 0');
  project.script('tests/sum.sh', 'test "$(./sum.sh 1 2)" = 3');
  project.write('.gitignore', 'work\ncache/\n.ralph/\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  return project;
}

/** Everything of a loop's gate that could be left outside of the project, or in its repository. */
function leftovers(project: Project): readonly string[] {
  const [id = ''] = loopIds(project);
  const trees = git(project, 'worktree', 'list').trim().split('\n').slice(1);
  const refs = git(project, 'for-each-ref', 'refs/ralphd').split('\n').filter(Boolean);
  return [...readdirSync(os.tmpdir()).filter((name) => name.includes(id)), ...trees, ...refs];
}

const fix = "printf '#!/bin/sh\\necho $(($1 + $2))\\n' > sum.sh";

test('B132, R6: a clean gate does not see what only the work tree has, and tells the agent', async () => {
  const project = projectWhoseAgent('mkdir -p cache; touch cache/done; echo more >> notes');
  const strict = ['--verify', 'test -f cache/done', '--no-guard'];
  expect(endLine(await project.ralphd(...run, ...strict, '-n', '1'))).toMatchObject({ status: 'completed' });
  const other = projectWhoseAgent('mkdir -p cache; touch cache/done; echo more >> notes');
  const ended = await other.ralphd(...run, ...strict, '-n', '2', '--verify-in', 'clean');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(leftovers(other)).toEqual([]);
});

test('B132, R6: with strict protection an agent that rewrites or deletes the tests does not complete; the tests as they were are run', async () => {
  const project = projectWhoseAgent(
    'echo "exit 0" > tests/sum.sh',
    'git add -A',
    'git -c user.name=B -c user.email=b@c commit -qm x',
  );
  const checks = ['--verify', 'for test in tests/*; do sh "$test" || exit 1; done', '--protect', 'strict'];
  const ended = await project.ralphd(...run, ...checks, '-n', '2');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(factsOf(project, 'agent.finished')[0]).toMatchObject({
    changes: { protected: { changed: ['tests/sum.sh'] } },
  });
  expect(leftovers(project)).toEqual([]);
  const remover = projectWhoseAgent('rm -rf tests');
  expect(endLine(await remover.ralphd(...run, ...checks, '-n', '1'))).toMatchObject({ status: 'failed', exitCode: 2 });
  const honest = projectWhoseAgent(fix, 'echo "exit 1" > tests/wrong.sh');
  expect(endLine(await honest.ralphd(...run, ...checks, '-n', '1'))).toMatchObject({
    status: 'completed',
    verified: true,
  });
  expect(leftovers(honest)).toEqual([]);
});

test('the index, the branches and the work tree of the user are as they were after a clean gate', async () => {
  const project = projectWhoseAgent(fix);
  project.write('staged', '1');
  git(project, 'add', 'staged');
  const side = () => git(project, 'for-each-ref') + git(project, 'diff', '--cached') + git(project, 'stash', 'list');
  const before = side();
  const ended = await project.ralphd(...run, '--verify', './tests/sum.sh', '--protect', 'strict', '-n', '1');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
  expect(side()).toBe(before);
});

test('B132: an agent that moves the reference of the kept tests proves nothing, and pauses the loop', async () => {
  const project = projectWhoseAgent(
    'for ref in $(git for-each-ref --format="%(refname)" refs/ralphd); do git update-ref "$ref" HEAD; done',
  );
  const ended = await project.ralphd(...run, '--verify', './tests/sum.sh', '--protect', 'strict', '-n', '9');
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'environment', verified: false, iterations: 2 });
  expect((await project.ralphd('explain')).stdout).toContain('--accept-gate');
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'unverifiable' }, { verdict: 'unverifiable' }]);
  expect(promptOf(project, 2)).toContain('was moved or deleted');
});

test('a kill -9 during a clean gate leaves no checkout behind once the loop was resumed', async () => {
  const project = projectWhoseAgent(fix);
  const waiting = `echo $$ >> '${project.folder}/work'; until [ -e '${project.folder}/cache/go' ]; do sleep 0.05; done; ./tests/sum.sh`;
  mkdirSync(path.join(project.folder, 'cache'));
  const running = project.start([...run, '--verify', waiting, '--verify-in', 'clean', '--no-baseline', '-n', '3']);
  await eventually(() => leftovers(project).length).toBeGreaterThan(0);
  await eventually(() => project.read('work').split('\n').length).toBeGreaterThan(2);
  running.signal('SIGKILL');
  await running.ended;
  expect(leftovers(project)).not.toEqual([]);
  project.write('cache/go', '');
  const ended = await project.ralphd('resume', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 1 });
  expect(leftovers(project)).toEqual([]);
  expect(project.processes()).toEqual([]);
});

test('an abort of a loop whose owner died during a clean gate leaves nothing behind either', async () => {
  const project = projectWhoseAgent(fix);
  const endless = `echo $$ >> '${project.folder}/work'; sleep 1000`;
  const running = project.start([...run, '--verify', endless, '--protect', 'strict', '--no-baseline', '-n', '3']);
  await eventually(() => project.has('work') && project.read('work').split('\n').length).toBeGreaterThan(2);
  running.signal('SIGKILL');
  await running.ended;
  expect((await project.ralphd('abort', '--json')).code).toBe(0);
  expect(leftovers(project)).toEqual([]);
  expect(project.processes()).toEqual([]);
});

test.each([
  ['--verify-in', 'clean'],
  ['--protect', 'strict'],
])('outside of a repository %s %s is refused before anything is created', async (...flags) => {
  const project = createProject();
  project.script('agent.sh', claim);
  const ended = await project.ralphd(...run, '--verify', 'true', ...flags);
  expect(endLine(ended)).toMatchObject({ type: 'error', code: 'CLEAN_NEEDS_GIT', exitCode: 78 });
  expect(project.has('.ralph')).toBe(false);
});
