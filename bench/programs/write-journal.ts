import { idleLoop, type Loop, replay } from '../../src/core/index.ts';
import { toStateDocument } from '../../src/formats/index.ts';
import { configSchema, encodeConfig, type Fact, type RecordedFact } from '../../src/protocol/index.ts';
import { openLoopFolders } from '../../src/store/index.ts';

/* Writes an ended loop below the state folder that is its first argument, with as many facts as the second says. */
const [root = '', count = '0'] = process.argv.slice(2);
const loopId = 'ralph-bench-00000001';
const config = configSchema.parse({});
const owner = { host: 'bench', bootId: 'bench', pid: process.pid, startTime: '1' };
const store = openLoopFolders({ root, owner, livenessOf: () => 'dead', now: () => new Date() });

const started: Fact = {
  type: 'loop.started',
  data: {
    loopId,
    uuid: '00000001-0000-4000-8000-000000000000',
    task: 'x',
    agent: 'command',
    workingDirectory: root,
    startedBy: 'bench',
    config: encodeConfig(config),
    configHash: 'hash',
    checks: [],
  },
};
const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'aborted', verified: false, elapsedMs: 0 },
};
const refused = (number: number): Fact => ({
  type: 'command.refused',
  data: { id: `command-${number}`, command: 'retry', why: 'x'.repeat(250) },
});

using open = store.create(loopId);
let loop: Loop = idleLoop(config);
const append = (facts: readonly Fact[]) => {
  loop = replay(open.append(facts) as readonly RecordedFact[], loop);
};
append([started]);
for (let from = 2; from < Number(count); from += 100) {
  append(Array.from({ length: Math.min(100, Number(count) - from) }, (_, index) => refused(from + index)));
}
append([ended]);
open.writeSnapshot(toStateDocument(loop));
