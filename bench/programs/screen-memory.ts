import { screenWords } from '../../src/cli/screen/words.ts';
import { startedStory } from '../../src/core/testing/story.ts';
import type { Pulse } from '../../src/protocol/index.ts';
import { type LoopModel, loopModel, loopScreen, paint, takeFact, takePulse } from '../../src/tui/index.ts';

/*
 * Prints the heap that a screen holds after a tenth of an hour of events, and after all of it: two frames and a pulse
 * a second, and an iteration every ten seconds.
 *   node --expose-gc bench/programs/screen-memory.ts
 */
const seconds = 3_600;
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});
const story = startedStory({ config: { maxIterations: 0, maxTime: '20h' } });
let model: LoopModel = loopModel(story.loop, { state: 'working', pid: 1 });
let taken = 0;
let activities = 0;
const found: number[] = [];

for (let second = 0; second < seconds; second += 1) {
  if (second % 10 === 0) {
    if (second > 0) {
      const changes = {
        known: true,
        headMoved: false,
        modified: [`src/file-${second}.ts`],
        created: [],
        deleted: [],
        count: 1,
      };
      const ending = { kind: 'exited', code: 0 } as const;
      const run = { ending, outcome: 'completed', claimed: false, changes, durationMs: 9_000 } as const;
      story.tell({ type: 'agent.finished', data: { ...story.attempt, ...run, changes } }).advance(10_000);
    }
    story.begin();
    const process = { host: 'here', bootId: 'b', pid: 7, startTime: '1' };
    story.tell({ type: 'agent.started', data: { ...story.attempt, process } });
    activities = 0;
  }
  for (const fact of story.facts) if (fact.seq > taken) model = takeFact(model, fact);
  taken = story.loop.journal.seq;
  story.facts = [];
  activities += 20;
  model = takePulse(model, pulse());
  for (let frame = 0; frame < 2; frame += 1) {
    const drawing = { size: { columns: 120, rows: 36 }, words: screenWords, nowMs: story.nowMs + frame * 250 };
    for (const line of loopScreen(model, {}, drawing)) paint(line, { hasColour: true, isAscii: false });
  }
  story.pass(1_000);
  if (second === seconds / 10 || second === seconds - 1) {
    collect();
    found.push(process.memoryUsage().heapUsed / 1024 / 1024);
  }
}
console.log(found.map((mb) => mb.toFixed(2)).join(' '));

function pulse(): Pulse {
  const at = new Date(story.nowMs).toISOString();
  const recent = Array.from({ length: 20 }, (_, index) => ({
    number: activities - 20 + index,
    at,
    kind: index % 4 === 0 ? ('text' as const) : ('tool' as const),
    text: `Bash npm test -- file-${activities + index} ${'x'.repeat(200)}`,
  }));
  return { version: 1, loopId: story.loop.id, epoch: 1, at, since: at, step: 'agent', ...story.attempt, recent };
}
