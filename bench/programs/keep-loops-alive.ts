import { idleLoop, replay } from '../../src/core/index.ts';
import { toStateDocument } from '../../src/formats/index.ts';
import { selfIdentity } from '../../src/process/index.ts';
import { configSchema, encodeConfig, type Fact, type RecordedFact } from '../../src/protocol/index.ts';
import { openLoopFolders } from '../../src/store/index.ts';

/* Owns as many loops as its second argument says, below the state folder that is its first; each goes on every ten seconds. */
const [root = '', count = '0'] = process.argv.slice(2);
const config = configSchema.parse({ maxIterations: 0 });
const owner = selfIdentity();
const store = openLoopFolders({ root, owner, livenessOf: () => 'alive', now: () => new Date() });
const everyMs = 10_000;

const loops = Array.from({ length: Number(count) }, (_, number) => {
  const loopId = `ralph-live-${number.toString(16).padStart(8, '0')}`;
  const open = store.create(loopId);
  let loop = idleLoop(config);
  return {
    loopId,
    append(facts: readonly Fact[]) {
      loop = replay(open.append(facts) as readonly RecordedFact[], loop);
      open.writeSnapshot(toStateDocument(loop));
    },
  };
});

for (const { loopId, append } of loops) {
  const uuid = `${loopId.slice(-8)}-0000-4000-8000-000000000000`;
  const data = { loopId, uuid, task: 'x', agent: 'command', workingDirectory: root, startedBy: 'bench' };
  const start = { ...data, config: encodeConfig(config), configHash: 'hash', checks: ['npm test'] };
  append([{ type: 'loop.started', data: start }, begun(1)]);
}
console.log('up');

for (const [index, { append }] of loops.entries()) {
  setTimeout(
    () => {
      let own = 1;
      setInterval(() => {
        append([finished(own), ended(own), begun(own + 1)]);
        own += 1;
      }, everyMs);
    },
    (everyMs * index) / loops.length,
  );
}

function begun(number: number): Fact {
  const key = { iteration: number, attempt: 1 };
  return {
    type: 'iteration.started',
    data: { ...key, session: 'fresh', guidance: [], handOff: false, elapsedMs: 100 },
  };
}

function finished(number: number): Fact {
  const changes = { known: true, headMoved: false, modified: ['a.ts'], created: [], deleted: [], count: 1 };
  const key = { iteration: number, attempt: 1 };
  return {
    type: 'agent.finished',
    data: {
      ...key,
      ending: { kind: 'exited', code: 0 },
      outcome: 'completed',
      claimed: false,
      changes,
      durationMs: 9_000,
    },
  };
}

function ended(number: number): Fact {
  const progress = { made: true, evidence: ['1 file changed'], score: 0.5 };
  const key = { iteration: number, attempt: 1 };
  return {
    type: 'iteration.finished',
    data: { ...key, status: 'completed', progress, durationMs: 9_000, elapsedMs: 9_000 },
  };
}
