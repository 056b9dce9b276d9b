import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, factsOf, follow, type Project, type Running } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

const claim = 'Everything is done.\n\n<promise>DONE</promise>';

/** Runs the hook as an agent does when its session stops. */
function stop(project: Project): Running {
  const args = [launcher, 'hook', 'run', 'claude', '--timeout', '900s'];
  const child = spawn(process.execPath, args, { cwd: project.folder, env: project.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { folder: cwd } = project;
  child.stdin.end(JSON.stringify({ session_id: 's-1', cwd, hook_event_name: 'Stop', last_assistant_message: claim }));
  return follow(child);
}

test('a hook that is killed while the checks run loses nothing: the next stop of the session judges the claim', async () => {
  const project = createProject();
  project.script('check.sh', 'touch checking', 'while [ -e hold ]; do sleep 0.05; done', 'test -f done');
  project.write('hold', '');
  const task = ['hook', 'start', 'Make it', '--session', 's-1', '--verify', './check.sh'];
  const started = await project.ralphd(...task, '--no-baseline', '--no-auto-test');
  expect(started, started.stderr).toMatchObject({ code: 0 });

  project.write('done', '');
  const killed = stop(project);
  await expect.poll(() => project.has('checking')).toBe(true);
  killed.signal('SIGKILL');
  await killed.ended;
  expect(JSON.parse((await project.ralphd('status', '--json')).stdout)).toMatchObject({ status: 'crashed' });

  rmSync(path.join(project.folder, 'hold'));
  const { stdout, code } = await stop(project).ended;
  expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    answer: { systemMessage: expect.stringContaining('is completed: the checks passed.') },
  });
  expect(factsOf(project, 'agent.finished')).toHaveLength(1);
  expect(factsOf(project, 'gate.finished').map(({ verdict }) => verdict)).toEqual(['passed']);
});
