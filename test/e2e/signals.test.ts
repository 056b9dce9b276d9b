import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import {
  createProject,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  type Project,
  type Running,
  stateOf,
} from '../support/project.ts';

async function startWorking(project: Project): Promise<Running> {
  writeCheck(project);
  const running = project.start(runOf('-n', '5'));
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  return running;
}

function wasInterrupted(running: Running): boolean {
  return running.output().stdout.includes('"command.accepted"');
}

/** An agent that records SIGTERM and, once `may-end` exists, exits cleanly. */
function writePoliteAgent(project: Project): void {
  project.script(
    'agent.sh',
    "trap 'touch asked; until [ -e may-end ]; do sleep 0.05; done; touch saved; exit 0' TERM",
    'echo $$ >> started',
    '[ -e saved ] && touch done && echo "<promise>DONE</promise>" && exit',
    'while :; do sleep 0.05; done',
  );
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 130],
] as const)('R5 A064: one %s ends the agent, leaves the loop paused and exits with %i', async (signal, code) => {
  const project = createProject();
  writeSteppedAgent(project);
  const running = await startWorking(project);
  running.signal(signal);
  const ended = await running.ended;
  expect(ended).toMatchObject({ code, signal: null, stderr: '' });
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'interrupted', iterations: 0, exitCode: code });
  expect(project.processes()).toEqual([]);
  expect(stateOf(project)).toMatchObject({ status: 'paused', iteration: 1 });
  expect(stateOf(project)).not.toHaveProperty('pid');
});

test('two interrupts within 300 ms count as one: the agent may still end cleanly', async () => {
  const project = createProject();
  writePoliteAgent(project);
  const running = await startWorking(project);
  running.signal('SIGINT');
  running.signal('SIGTERM');
  await eventually(() => project.has('asked')).toBe(true);
  expect(project.has('saved')).toBe(false);
  project.write('may-end', '');
  const ended = await running.ended;
  expect(project.has('saved')).toBe(true);
  // Which of two signals that are sent at once comes first is up to the system.
  expect([130, 143]).toContain(ended.code);
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'interrupted' });
  expect(factsOf(project, 'agent.finished')).toMatchObject([
    { ending: { kind: 'stopped', by: 'request', forced: false } },
  ]);
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', iterations: 1, exitCode: 0 });
});

test('a later second interrupt kills an agent that will not end, and the loop can be resumed', async () => {
  const project = createProject();
  project.write('ralphd.yml', 'iteration:\n  killGrace: 1h\n');
  project.script(
    'agent.sh',
    "trap '' TERM INT HUP",
    '[ -e started ] && touch done && echo "<promise>DONE</promise>" && exit',
    'echo $$ >> started',
    'while :; do sleep 0.05; done',
  );
  const running = await startWorking(project);
  running.signal('SIGINT');
  await eventually(() => wasInterrupted(running)).toBe(true);
  const interruptedAt = performance.now();
  await eventually(() => performance.now() - interruptedAt).toBeGreaterThan(400);
  expect(project.processes()).toContain(Number(project.read('started')));
  running.signal('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(factsOf(project, 'agent.finished')).toMatchObject([
    { ending: { kind: 'stopped', by: 'request', forced: true } },
  ]);
  expect(project.processes()).toEqual([]);
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', iterations: 1, exitCode: 0 });
});

test('an interrupt while the gate runs ends the gate, keeps the paid run, and the gate is tried again after a resume', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo run >> started', 'touch done', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', 'test -f done || exit 1', 'echo $$ >> checking', 'until [ -e go ]; do sleep 0.05; done');
  const running = project.start(runOf('-n', '5'));
  await eventually(() => project.has('checking')).toBe(true);
  running.signal('SIGINT');
  const ended = await running.ended;
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'interrupted', exitCode: 130 });
  expect(project.processes()).toEqual([]);
  project.write('go', '');
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, iterations: 1, exitCode: 0 });
  expect(runsOf(project)).toBe(1);
});

test('an interrupt between two iterations ends the wait at once', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'echo working');
  writeCheck(project);
  const running = project.start(runOf('--delay', '1h'));
  await eventually(() => running.output().stdout).toContain('"wait.scheduled"');
  running.signal('SIGINT');
  const ended = await running.ended;
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'interrupted', iterations: 1, exitCode: 130 });
  expect(jsonLines(ended.stdout).some(({ type }) => type === 'iteration.interrupted')).toBe(false);
});

test('a child that the agent hid in another session is gone after the iteration', async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'setsid sleep 1000 > /dev/null 2>&1 &', 'touch done', 'echo "<promise>DONE</promise>"');
  const ended = await project.ralphd(...runOf('-n', '1'));
  expect(endLine(ended)).toMatchObject({ status: 'completed' });
  await eventually(() => project.processes()).toEqual([]);
});
