import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, loopIds, type Project } from '../support/project.ts';

const run = ['run', 'Make sum.sh add', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0'];

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

/** A repository in which an agent claims too early, then adds a note, then does the task. */
function repositoryWithAgent(): Project {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'if [ ! -e .ralph/one ]; then touch .ralph/one; echo "wrong" > sum.txt; echo "I am done."; echo "<promise>DONE</promise>"',
    'elif [ ! -e .ralph/two ]; then touch .ralph/two; printf "a note\\nmore\\n" > NOTES.md; echo "I took a note."',
    'else printf \'#!/bin/sh\\necho $(($1 + $2))\\n\' > sum.sh; rm sum.txt; echo "Now it adds."; echo "<promise>DONE</promise>"; fi',
  );
  project.script('sum.sh', 'echo 0');
  project.script(
    'check.sh',
    'echo "TAP version 13"; echo "1..1"',
    'test "$(./sum.sh 1 2)" = 3 && echo "ok 1 - adds" || { echo "not ok 1 - adds"; exit 1; }',
  );
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  return project;
}

test('B095: what each iteration of a loop did can be inspected, and the loop reported as text, Markdown, page and JSON', async () => {
  const project = repositoryWithAgent();
  const ended = await project.ralphd(...run, '--verify', './check.sh', '-n', '5');
  expect(ended.code).toBe(0);
  const [id = ''] = loopIds(project);

  const first = JSON.parse((await project.ralphd('inspect', id, '1', '--json')).stdout);
  expect(first).toMatchObject({
    loopId: id,
    status: 'completed',
    account: {
      iteration: 1,
      attempts: [{ attempt: 1, run: { claimed: true }, gate: { verdict: 'failed' } }],
      finished: { status: 'completed' },
    },
    prompt: { text: expect.stringContaining('Make sum.sh add') },
    activity: { lastWords: expect.stringContaining('I am done.') },
    changes: {
      files: [{ path: 'sum.txt', added: 1, removed: 0 }],
      patch: { isWhole: true, text: expect.stringContaining('+wrong') },
    },
  });

  const newest = await project.ralphd('inspect', id, '--diff');
  expect(newest).toMatchObject({ code: 0, stderr: '' });
  const shown = newest.stdout.replaceAll(id, 'ID').replaceAll(/\d+\.\d+s|\d\d:\d\d|index .*/g, '·');
  expect(shown).toMatchInlineSnapshot(`
    "iteration 3 of ID
      judged    the checks prove that the task is done
                the agent claimed that the task is done; verdict of the checks: passed
                it made progress (score 1.00 of 1): 2 files changed, the checks pass now, 1 fewer test fails
      started   ·, took · (agent ·, checks ·)
      agent     exited with code 0
      session   new

      prompt: .ralph/loops/ID/iterations/003/attempt-1/prompt
      │ [SYSTEM DIRECTIVE: RALPHD LOOP 3/5]
      │ You work on the task below in a loop. This is iteration 3; the task is not done yet, and earlier work is
      │ in the working directory.
      │ - Inspect the existing work before you change anything, and continue from it.
      │ - Do not stop early: work until the whole task is done or you are truly stuck.
      │ - Only when everything is done, end your last message with the line <promise>DONE</promise> on its own.
      … 12 more lines; --prompt shows all

      what the agent did
      This agent does not report its tool calls.

      the agent's last words
      │ Now it adds.
      │ <promise>DONE</promise>

      changes
      2 files, 1 line added, 2 removed
      sum.sh   +1  −1
      sum.txt  +0  −1
      diff --git a/sum.sh b/sum.sh
      ·
      --- a/sum.sh
      +++ b/sum.sh
      @@ -1,2 +1,2 @@
       #!/bin/sh
      -echo 0
      +echo $(($1 + $2))
      diff --git a/sum.txt b/sum.txt
      deleted file mode 100644
      ·
      --- a/sum.txt
      +++ /dev/null
      @@ -1 +0,0 @@
      -wrong

      checks
      ✓ passed in ·: ./check.sh
      1 of 1 test passed (tap); 0 of 1 before
      fixed: adds
    "
  `);

  const report = await project.ralphd('report');
  expect(report).toMatchObject({ code: 0, stderr: '' });
  expect(report.stdout).toContain('2 files, 3 lines added, 1 removed');
  expect(report.stdout).toMatch(/1 {2}[✗·↑] .*1 +\+1 −0/);

  const markdown = await project.ralphd('report', id, '--markdown');
  expect(markdown.stdout).toMatch(/^### ✅ Proven: `ralph-/);
  const page = await project.ralphd('report', id, '--html', '--out', 'report.html');
  expect(page.stdout).toBe(`Wrote the report of ${id} to report.html.\n`);
  expect(readFileSync(path.join(project.folder, 'report.html'), 'utf8')).toMatch(
    /^<!doctype html>[\s\S]*Completed: the task is done/,
  );
  const again = await project.ralphd('report', id, '--html', '--out', 'report.html');
  expect(again).toMatchObject({ code: 64, stderr: expect.stringContaining('already exists') });
  const data = JSON.parse((await project.ralphd('report', id, '--json')).stdout);
  expect(data).toMatchObject({
    loop: { id, status: 'completed', head: git(project, 'rev-parse', 'HEAD').trim() },
    proof: { verified: true, level: 'tree', checks: [{ command: './check.sh', before: 'failed', now: 'passed' }] },
    iterations: { finished: 3, claims: 2, refusedClaims: 1 },
  });
  expect(git(project, 'status', '--porcelain')).toBe(' M sum.sh\n?? NOTES.md\n?? report.html\n');
  expect(git(project, 'count-objects').trim()).toMatch(/^5 objects/);

  expect((await project.ralphd('doctor')).code).toBe(0);
  rmSync(path.join(project.folder, '.ralph', 'loops', id, 'diffs'), { recursive: true });
  expect((await project.ralphd('inspect', id, '1')).stdout).toContain('The changed lines are not available');
  expect((await project.ralphd('report', id)).stdout).toContain('The stored diffs were removed');
});

test('an unfinished iteration can be inspected, with what the agent has changed so far', async () => {
  const project = repositoryWithAgent();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo "Working on it."',
    'echo "half" > half.txt',
    'touch .ralph/started',
    'while [ ! -e .ralph/finish ]; do sleep 0.05; done',
  );
  git(project, 'commit', '-qam', 'a slow agent');
  const running = project.ralphd(...run, '--verify', './check.sh', '-n', '1');
  await expect.poll(() => existsSync(path.join(project.folder, '.ralph', 'started')), { timeout: 20_000 }).toBe(true);
  const [id = ''] = loopIds(project);
  const found = JSON.parse((await project.ralphd('inspect', '--json')).stdout);
  const text = (await project.ralphd('inspect')).stdout;
  const report = (await project.ralphd('report')).stdout;
  project.script('.ralph/finish');
  await running;
  expect(found).toMatchObject({
    loopId: id,
    status: 'running',
    account: { iteration: 1 },
    activity: { lastWords: 'Working on it.\n' },
    changes: { changes: { created: ['half.txt'] }, files: [{ path: 'half.txt', added: 1, removed: 0 }] },
  });
  expect(text).toContain('the agent is working');
  expect(report).toMatch(/▸ +under way/);
});

test('an iteration that does not exist, a number that is none, two forms at once and a damaged loop are errors with a way on', async () => {
  const project = repositoryWithAgent();
  await project.ralphd(...run, '--verify', './check.sh', '-n', '1');
  const [id = ''] = loopIds(project);
  expect(await project.ralphd('inspect', id, '9')).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining(`Its newest iteration is 1: run "ralphd inspect ${id} 1".`),
  });
  expect(await project.ralphd('inspect', id, 'x')).toMatchObject({ code: 64, stderr: expect.stringContaining('"x"') });
  expect(await project.ralphd('report', id, '--html', '--markdown')).toMatchObject({ code: 64, stdout: '' });
  const failed = await project.ralphd('report', id);
  expect(failed.stdout).toContain('Failed: the maximum number of iterations is used up.');
  const folder = path.join(project.folder, '.ralph', 'loops', id);
  for (const name of ['checkpoints', 'backups', 'journal']) rmSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'state.json'), 'damaged');
  for (const command of ['report', 'inspect']) {
    expect(await project.ralphd(command, id)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('STATE_UNRECOVERABLE'),
    });
  }
});
