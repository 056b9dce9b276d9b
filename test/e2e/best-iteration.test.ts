import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { usual } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import { createProject, jsonLines, type Project } from '../support/project.ts';

/** A project in git whose agent makes as many of three tests pass in each run as `plan` has for it, and claims. */
function projectWithPlan(plan: readonly number[], commits: boolean): Project {
  const project = createProject();
  const git = 'git -c user.name=A -c user.email=a@example.org';
  project.script(
    'check.sh',
    'n=$(cat good 2>/dev/null || echo 0); echo 1..3',
    ...[1, 2, 3].map(tapLine),
    '[ "$n" -ge 3 ]',
  );
  project.script(
    'agent.sh',
    'cat > /dev/null; echo x >> runs',
    'sed -n "$(($(wc -l < runs)))p" plan > good',
    commits ? `git add -A && ${git} commit -qm "step $(cat good)"` : 'true',
    'echo "<promise>DONE</promise>"',
  );
  project.write('plan', `${plan.join('\n')}\n`);
  execFileSync('sh', ['-c', `git init -q && git add -A && ${git} commit -qm first`], {
    cwd: project.folder,
    env: project.env,
  });
  return project;
}

function tapLine(test: number): string {
  return `[ "$n" -ge ${test} ] && echo "ok ${test} - test ${test}" || echo "not ok ${test} - test ${test}"`;
}

function commitOf(project: Project, message: string): string {
  const args = ['log', '--all', '--format=%H', `--grep=${message}`];
  return execFileSync('git', args, { cwd: project.folder, env: project.env, encoding: 'utf8' }).trim();
}

test('R26: a loop that ends without completing names its best iteration, and git brings that back', async () => {
  const project = projectWithPlan([1, 2, 0], true);
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '3');
  const id = commitOf(project, 'step 2');
  expect(ended.code).toBe(2);
  expect(ended.stdout).toContain(`best iteration: 2 — 2 of 3 tests passed (commit ${id.slice(0, 8)})\n`);
  const [status] = jsonLines((await project.ralphd('status', '--json')).stdout);
  expect(status).toMatchObject({
    best: { iteration: 2, proof: 'partly', tests: { passed: 2, failed: 1 }, commit: { id, isWhole: true } },
  });
  expect((await project.ralphd('status')).stdout).toContain(
    `best      2 — 2 of 3 tests passed (commit ${id.slice(0, 8)})`,
  );
  const { stdout } = await project.ralphd('explain');
  expect(stdout).toContain('iteration 2 was better than the last one: 2 of 3 tests passed');
  const [, restore = ''] = /"(git restore [^"]+)"/u.exec(stdout.replace(/\s+/gu, ' ')) ?? [];
  execFileSync('sh', ['-c', restore], { cwd: project.folder, env: project.env });
  expect(project.read('good')).toBe('2\n');
  expect(readJson(project, 'iterations/002/attempt-1/result.json')).toMatchObject({
    result: { quality: { proof: 'partly', commit: { id } } },
  });
  expect(readJson(project, 'analytics/analytics.json')).toMatchObject({ selected_iteration: 2 });
});

test('R26: work that was never committed is called that, and a loop that completes names no best iteration', async () => {
  const lost = projectWithPlan([2, 1], false);
  expect((await lost.ralphd('run', 'x', ...usual, '-n', '2')).stdout).toContain(
    'best iteration: 1 — 2 of 3 tests passed (not fully committed)\n',
  );
  const done = projectWithPlan([2, 3], true);
  const ended = await done.ralphd('run', 'x', ...usual, '-n', '4');
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).not.toContain('best');
});

test('R26: if every iteration is worse than the start, that is reported instead of a best one', async () => {
  const project = projectWithPlan([1, 0], true);
  project.write('good', '2\n');
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '2');
  expect(ended.stdout).toContain(
    'best iteration: none — 2 of 3 tests passed before the first iteration, and no checked iteration matched that\n',
  );
});
