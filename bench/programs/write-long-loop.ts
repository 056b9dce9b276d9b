import { idleLoop, type Loop, replay } from '../../src/core/index.ts';
import { toStateDocument } from '../../src/formats/index.ts';
import { configSchema, encodeConfig, type Fact, type FactData, type RecordedFact } from '../../src/protocol/index.ts';
import { openLoopFolders } from '../../src/store/index.ts';

/*
 * Writes a loop as a long night leaves it, below the state folder that is its first argument: as many iterations as the
 * second says, each with twenty facts of the usual size. It has paused.
 */
const [root = '', count = '0', loopId = 'ralph-long-00000001'] = process.argv.slice(2);
const config = configSchema.parse({ maxIterations: 0, maxTime: '8h', stopConditions: { maxNoProgressIterations: 0 } });
const owner = { host: 'bench', bootId: 'bench', pid: process.pid, startTime: '1' };
let nowMs = Date.now() - Number(count) * 30_000;
const store = openLoopFolders({ root, owner, livenessOf: () => 'dead', now: () => new Date((nowMs += 1_500)) });

const started: Fact = {
  type: 'loop.started',
  data: {
    loopId,
    uuid: '00000001-0000-4000-8000-000000000000',
    task: 'Make the importer read files of any size in constant memory.',
    agent: 'claude',
    workingDirectory: root,
    startedBy: 'bench',
    config: encodeConfig(config),
    configHash: 'hash',
    checks: ['npm test'],
  },
};

const hookResult = {
  name: 'format',
  point: 'pre_iteration' as const,
  ok: true,
  durationMs: 40,
  output: 'formatted 3 files',
};
const output = 'not ok 12 reads a chunk that ends inside a quoted field\n'.repeat(20);

function factsOf(iteration: number): readonly Fact[] {
  const key = { iteration, attempt: 1 };
  const failed = 3 + ((iteration * 7) % 40);
  const names = Array.from({ length: failed }, (_, index) => `span: reads chunk ${index}`);
  const tests = { framework: 'tap', total: 412, passed: 412 - failed, failed, skipped: 0, failing: names };
  const modified = Array.from({ length: 1 + (iteration % 6) }, (_, index) => `packages/import/src/reader-${index}.ts`);
  const changes = { known: true, headMoved: false, modified, created: [], deleted: [], count: modified.length };
  const finished: FactData<'agent.finished'> = {
    ...key,
    ending: { kind: 'exited', code: 0 },
    outcome: 'completed',
    claimed: iteration % 3 === 0,
    model: 'opus',
    usage: { inputTokens: 40_000, outputTokens: 3_000, costUsd: 0.02, toolCalls: 14 },
    summary: 'I carry the open field over to the next chunk instead of flushing it. '.repeat(4),
    changes: { ...changes, lines: { added: 40, removed: 12 } },
    durationMs: 24_000,
  };
  const command = (number: number): Fact => ({
    type: 'command.refused',
    data: { id: `command-${iteration}-${number}`, command: 'retry', why: 'it is not waiting' },
  });
  return [
    { type: 'iteration.started', data: { ...key, session: 'fresh', guidance: [], handOff: false, elapsedMs: 100 } },
    { type: 'hooks.started', data: { ...key, point: 'pre_iteration' } },
    { type: 'hooks.finished', data: { ...key, point: 'pre_iteration', results: [hookResult] } },
    { type: 'agent.started', data: { ...key, process: owner } },
    finished.claimed ? command(1) : command(2),
    ...Array.from({ length: 6 }, (_, index) => command(3 + index)),
    { type: 'agent.finished', data: finished },
    { type: 'conditions.observed', data: { ...key, results: [{ key: 'stop.0', met: false, detail: 'no such file' }] } },
    { type: 'gate.started', data: key },
    {
      type: 'gate.finished',
      data: {
        ...key,
        verdict: 'failed',
        checks: [{ command: 'npm test', verdict: 'failed', exitCode: 1, durationMs: 4_000, output }],
        tests,
        durationMs: 4_000,
      },
    },
    { type: 'hooks.started', data: { ...key, point: 'post_iteration' } },
    { type: 'hooks.finished', data: { ...key, point: 'post_iteration', results: [hookResult] } },
    {
      type: 'iteration.finished',
      data: {
        ...key,
        status: 'completed',
        progress: { made: iteration % 4 !== 0, evidence: ['3 files changed'], score: (iteration % 10) / 10 },
        durationMs: 28_000,
        elapsedMs: 28_000,
      },
    },
    {
      type: 'wait.scheduled',
      data: { until: new Date(nowMs + 5_000).toISOString(), cause: 'delay', message: 'delay' },
    },
    command(9),
  ];
}

using open = store.create(loopId);
let loop: Loop = idleLoop(config);
const append = (facts: readonly Fact[]) => {
  loop = replay(open.append(facts) as readonly RecordedFact[], loop);
};
append([started]);
for (let from = 1; from <= Number(count); from += 10) {
  const numbers = Array.from({ length: Math.min(10, Number(count) - from + 1) }, (_, index) => from + index);
  append(numbers.flatMap(factsOf));
}
append([{ type: 'loop.paused', data: { reason: 'user_pause', message: 'paused by hand', elapsedMs: 0 } }]);
open.writeSnapshot(toStateDocument(loop));
console.log(JSON.stringify({ facts: loop.journal.seq, iterations: loop.position.finished }));
