import { waitLeftMs } from '../../../src/core/index.ts';
import { factTypes } from '../../../src/protocol/index.ts';
import { type Invariant, on, onAny } from './invariant.ts';

/** Covers the rounding of halved waits, and the owner's work between deciding and waiting. */
const slackMs = 5_000;

/** Waits have the intended duration, even when the wall clock jumps. */
export const waitInvariants: readonly Invariant[] = [
  onAny(
    ['iteration.started', 'reboot.started'],
    'a clock that is set back makes no wait longer',
    ({ wait, status }, { world }) => {
      // The schedule follows the wall clock, even when it jumps.
      if (wait === undefined || wait.cause === 'schedule' || status !== 'running') return undefined;
      const waitedMs = world.monotonicMs - wait.sinceMs;
      return waitedMs > wait.mostMs + slackMs && `${waitedMs} ms were waited instead of ${wait.mostMs}`;
    },
  ),
  on('wait.scheduled', 'a wait ends before its instant only when the clock was set back', (ledger, data, { world }) => {
    const { wait, due } = ledger;
    if (wait === undefined || wait.cause !== data.cause || due !== undefined) return undefined;
    if (Date.parse(data.until) > world.wallMs) return undefined;
    if (world.wallMs >= wait.untilMs) return 'it was over by itself';
    return world.monotonicMs <= wait.sinceMs && 'nothing of it was waited for';
  }),
  on('loop.parked', 'only a loop that waits is left to whoever comes next', (_ledger, _data, { before }) => {
    const { status, pending, position } = before;
    if (status !== 'running' || position.current !== undefined) return `it is ${status}, and in an iteration`;
    return pending.wait === undefined && 'it waits for nothing';
  }),
  on('loop.recovered', 'nobody recovers a loop that was left in good order', (_ledger, _data, { fact, world }) => {
    const last = world.disk.slice(0, fact.seq - 1).findLast(({ type }) => type !== 'segment.opened');
    return last?.type === 'loop.parked' && 'its owner had parked it';
  }),
  onAny(factTypes, 'what is left of a wait is no more than all of it', (_ledger, { after, world }) => {
    const leftMs = waitLeftMs(after, world.wallMs);
    if (after.pending.wait === undefined) return leftMs !== 0 && `${leftMs} ms are left of nothing`;
    const wholeMs = Math.max(0, Date.parse(after.pending.wait.until) - Date.parse(after.pending.wait.since ?? ''));
    return !(leftMs >= 0 && leftMs <= wholeMs) && `${leftMs} ms are left of ${wholeMs}`;
  }),
];
