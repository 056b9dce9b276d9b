import { expect, test } from 'vitest';
import { evolve, idleLoop, type Loop } from '../../src/core/index.ts';
import { fromStateDocument, toStateDocument } from '../../src/formats/index.ts';
import { configSchema, viewIn } from '../../src/protocol/index.ts';
import { viewOf } from '../../src/views/index.ts';
import { simulateLoop } from '../simulation/simulate.ts';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { createProject, eventually, type Project, type Running, stateOf } from '../support/project.ts';
import { problemsOf } from './aiwg-v2.ts';

/** The fields of the schema are valid in both interpretations, none is null, and our own fields are in one object. */
function expectAiwg(document: Record<string, unknown>): void {
  expect(problemsOf(document, 'pure')).toEqual([]);
  expect(problemsOf(document, 'nullable')).toEqual([]);
  const { ralphd, ...shared } = document;
  expect(JSON.stringify(shared)).not.toContain(':null');
  expect(ralphd).toMatchObject({ format: 2, loop: { id: document['loop_id'] } });
}

async function startWorking(...more: readonly string[]): Promise<{ project: Project; running: Running }> {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.start(runOf(...more));
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  return { project, running };
}

const example = {
  version: '2.0.0',
  loop_id: 'ralph-fix-tests-a1b2c3d4',
  status: 'running',
  iteration: 5,
  started_at: '2026-02-02T21:00:00Z',
  completed_at: null,
};

test('A144-A150: the schema refuses what it should, and the two readings differ only in null', () => {
  expect(problemsOf(example, 'nullable')).toEqual([]);
  expect(problemsOf(example, 'pure')).toEqual(['/completed_at must be string']);
  const { completed_at: _null, ...good } = example;
  for (const bad of [
    { status: 'idle' },
    { iteration: -1 },
    { version: '1.0.0' },
    { loop_id: 'ralph-g' },
    { started_at: 'now' },
  ]) {
    expect(problemsOf({ ...good, ...bad }, 'pure')).toHaveLength(1);
    expect(problemsOf({ ...good, ...bad }, 'nullable')).toHaveLength(1);
  }
  expect(problemsOf({}, 'pure')).toHaveLength(4);
});

test('A143 A151: the state of a loop at work is valid and names its process', async () => {
  const { project, running } = await startWorking('-n', '5');
  await eventually(() => stateOf(project)['iteration']).toBe(1);
  expectAiwg(stateOf(project));
  expect(stateOf(project)).toMatchObject({
    version: '2.0.0',
    status: 'running',
    iteration: 1,
    task: 'x',
    completion_criteria: './check.sh',
    pid: running.pid,
    working_directory: project.folder,
    configuration: { max_iterations: 5, interactive: false, auto_test: true, checkpoint_interval: 1 },
  });
});

test('A147 A151: the states of a loop that was paused and of one that was aborted are valid and name no process', async () => {
  const { project, running } = await startWorking('-n', '5');
  running.signal('SIGINT');
  await running.ended;
  expectAiwg(stateOf(project));
  expect(stateOf(project)).toMatchObject({ status: 'paused' });
  await project.ralphd('abort');
  expectAiwg(stateOf(project));
  expect(stateOf(project)).toMatchObject({ status: 'aborted', completed_at: expect.any(String) as string });
  expect(stateOf(project)).not.toHaveProperty('pid');
  expect(stateOf(project)).not.toHaveProperty('error_context');
});

test('A153 A160: the state of a loop that failed after a refused claim lists the checks and the error', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', 'echo "2 errors"; exit 1');
  await project.ralphd(...runOf('-n', '2'));
  const state = stateOf(project);
  expectAiwg(state);
  expect(state).toMatchObject({
    status: 'failed',
    iteration: 2,
    progress: {
      completion_checks: [
        { iteration: 1, passed: false },
        { iteration: 2, passed: false, output: './check.sh: failed\n2 errors\n' },
      ],
      last_completion_check: { iteration: 2, passed: false },
    },
    metrics: { total_iterations: 2, successful_iterations: 2, failed_iterations: 0 },
    error_context: { error_message: '2 of 2 iterations', recovery_attempted: false },
  });
  expect(state['metrics']).not.toHaveProperty('total_tokens');
});

test('A005 A162 R9: the state of a completed loop without an iteration limit is valid, and describes its limit in its own terms', async () => {
  const project = createProject();
  project.script('agent.sh', 'touch done', 'echo "<promise>DONE</promise>"');
  writeCheck(project);
  await project.ralphd(...runOf('-n', '0', '--max-time', '90s'));
  const state = stateOf(project);
  expectAiwg(state);
  expect(state).toMatchObject({
    status: 'completed',
    configuration: { max_iterations: 2_147_483_647, timeout_minutes: 2 },
    progress: { last_completion_check: { iteration: 1, passed: true } },
    ralphd: { verified: true, unlimitedIterations: true, reason: 'completed' },
  });
});

test('A129 A135: every state that eighty simulated loops pass through is valid, read back unchanged and shown unchanged', async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 80; seed += 1) {
    let loop: Loop = idleLoop(configSchema.parse({}));
    for (const fact of (await simulateLoop({ seed })).world.disk) {
      loop = { ...evolve(loop, fact), id: 'ralph-simulated-0a1b2c3d' };
      // Any state may be saved; a sample keeps this test fast.
      if (loop.status === 'idle' || (loop.journal.seq + seed) % 7 > 0) continue;
      seen.add(loop.status);
      const document = JSON.parse(JSON.stringify(toStateDocument(loop, { pid: 1 }))) as Record<string, unknown>;
      expect(problemsOf(document, 'pure')).toEqual([]);
      // The view that the owner wrote equals the one that a reader derives from the facts.
      const read = fromStateDocument(document);
      expect(read).toEqual(loop);
      expect(viewIn(document)).toEqual(read && JSON.parse(JSON.stringify(viewOf(read))));
    }
  }
  expect([...seen].toSorted()).toEqual(['aborted', 'completed', 'completing', 'failed', 'paused', 'running']);
});
