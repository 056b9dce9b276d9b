import { isDeepStrictEqual } from 'node:util';
import { idleLoop, type Loop } from '../../../src/core/index.ts';
import { configSchema } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import { misplacedGuidance } from './guidance.ts';
import type { Ledger } from './ledger.ts';

/** What must hold once a loop is at rest. */
export interface RestInvariant {
  readonly rule: string;
  readonly check: (ledger: Ledger, world: World) => string | false | undefined;
}

const unstarted = idleLoop(configSchema.parse({}));
const terminal: readonly string[] = ['completed', 'failed', 'aborted', 'crashed'];

/** Checked once per loop, at its end. */
export const restInvariants: readonly RestInvariant[] = [
  {
    rule: 'a loop ends or rests within a bounded number of steps',
    check: (_ledger, { loop }) =>
      loop.status !== 'paused' && !terminal.includes(loop.status) && `it is still ${loop.status}`,
  },
  {
    rule: 'a loop ends exactly once',
    check: ({ ended, status }, { loop }) => {
      if (loop.status !== status) return `the state says ${loop.status}, the facts ${status}`;
      return ended !== (terminal.includes(status) ? 1 : 0) && `${ended} ends`;
    },
  },
  {
    rule: 'no agent is left behind',
    check: (_ledger, { agents }) => agents.size > 0 && `${[...agents].join(', ')} still runs`,
  },
  {
    rule: 'every accepted command is served',
    check: ({ wishes, ended }, { people, loopId }) => {
      const waiting = people.commands.waiting(loopId).length;
      if (waiting > 0) return `${waiting} commands were never looked at`;
      if (ended > 0) return undefined;
      if (wishes.end !== undefined) return 'stop or abort';
      if (wishes.resume) return 'resume';
      return wishes.pause !== undefined && 'pause';
    },
  },
  {
    rule: 'guidance that stands or was not delivered is still pending, and no other',
    check: (ledger, world) => misplacedGuidance(ledger, world),
  },
  { rule: 'A029, R17: the counters agree with the facts', check: (ledger, { loop }) => miscount(ledger, loop) },
  {
    rule: 'R7: running time is the time between start and end without pauses',
    check: ({ owners }, { loop, activeMs }) => {
      const lostMs = activeMs - loop.totals.runningMs;
      return (lostMs < 0 || (owners === 1 && lostMs > 0)) && `${loop.totals.runningMs} ms of ${activeMs} ms`;
    },
  },
  { rule: 'a replayed journal gives the same loop', check: (_ledger, world) => replayDiffers(world) },
];

function miscount(ledger: Ledger, loop: Loop): string | undefined {
  const { counts, finished, streaks, tokens, costUsd, runs } = ledger;
  const { stats, spent, changed } = loop.totals;
  const table: readonly (readonly [string, number, number])[] = [
    ['finished', loop.position.finished, finished],
    ['iterations', stats.iterations, finished],
    ['failedIterations', stats.failedIterations, counts.failed],
    ['timedOutIterations', stats.timedOutIterations, counts.timedOut],
    ['skippedIterations', stats.skippedIterations, counts.skipped],
    ['reboots', stats.reboots, counts.reboots],
    ['iterationFailureStreak', stats.iterationFailureStreak, streaks.failures],
    ['noProgressCount', stats.noProgressCount, streaks.noProgress],
    ['testFailureStreak', stats.testFailureStreak, streaks.tests],
    ['tokens', spent.tokens, tokens],
    ['runs', spent.runs, runs],
    ['costUsd', spent.costUsd, costUsd],
    ['outputTokens', spent.outputTokens, ledger.outputTokens],
    ['toolCalls', spent.toolCalls, ledger.toolCalls],
    ['runningMs', loop.totals.runningMs, ledger.runningMs],
    ['changed lines', changed.lines, ledger.changed.lines],
    ['changed files', changed.files.length + changed.unlisted, ledger.changed.names.size + ledger.changed.unnamed],
  ];
  const wrong = table.find(([, reported, counted]) => reported !== counted);
  return wrong && `${wrong[0]} is ${wrong[1]} instead of ${wrong[2]}`;
}

/** Replays from a snapshot; for some loops also from the start and from a snapshot that was serialised to JSON and back. */
function replayDiffers(world: World): string | false {
  const { seed, snapshot, loop, disk } = world;
  const ways = [snapshot];
  if (seed % 16 === 0) ways.push(unstarted, JSON.parse(JSON.stringify(snapshot)) as Loop);
  const wrong = ways.find((from) => !isDeepStrictEqual(world.replay(from), loop));
  return wrong !== undefined && `a state saved after ${wrong.journal.seq} of ${disk.length} facts goes another way`;
}
