import { expect, test } from 'vitest';
import { identityOf, isAlive } from '../../src/process/index.ts';
import { runOf, runsOf, usual, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import { hasTerminal, quoted, startLineInTerminal } from '../support/terminal.ts';

function letGo(project: Project): void {
  project.write('finish', '');
  project.write('go-1', '');
}

/** Waits until the agent of the first run, which continues without its ralphd, has ended. */
async function agentEnds(project: Project): Promise<void> {
  const agent = identityOf(Number(project.read('started')));
  letGo(project);
  await eventually(() => agent !== undefined && isAlive(agent)).toBe(false);
}

test('R19: an agent that ended in time, while ralphd was stopped beyond the timeout, is judged by its exit', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.start(runOf('-n', '1', '--iteration-timeout', '2s'));
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  await eventually(() => runsOf(project)).toBe(1);
  running.signal('SIGSTOP');
  await agentEnds(project);
  const stoppedAt = performance.now();
  await eventually(() => performance.now() - stoppedAt).toBeGreaterThan(2_600);
  running.signal('SIGCONT');
  expect(endLine(await running.ended)).toMatchObject({ status: 'completed', iterations: 1, exitCode: 0 });
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { kind: 'exited', code: 0 } }]);
});

test('after Ctrl-Z the agent continues, and after fg the loop does', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const terminal = startLineInTerminal(project, 'exec /bin/bash --norc --noprofile -i');
  terminal.press(`${quoted([process.execPath, launcher, 'run', 'x', ...usual])}\n`);
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => factsOf(project, 'agent.started')).toHaveLength(1);
  terminal.press('\u001a');
  await eventually(() => terminal.output().stdout).toContain('Stopped');
  await agentEnds(project);
  expect(factsOf(project, 'agent.finished')).toEqual([]);
  terminal.press('fg\n');
  await eventually(() => readJson(project, 'state.json')['status']).toBe('completed');
  terminal.press('exit\n');
  await terminal.ended;
  await eventually(() => project.processes()).toEqual([]);
});
