import { isProven } from './completion.ts';
import { type Invariant, on } from './invariant.ts';
import type { OpenAttempt } from './ledger.ts';

const freeEnvironmentRetries = 3;
const freeUnknownRetries = 3;

/** Which attempts count, which are free, and how many may be free. */
export const costInvariants: readonly Invariant[] = [
  on('iteration.finished', 'a limit, a broken environment or an interrupt never costs an iteration', (ledger, data) => {
    const { open, free, wishes } = ledger;
    if (data.status === 'skipped') return wishes.skipped !== data.iteration && 'skipped, but nobody asked for it';
    if (open?.run === undefined) return 'it never ran';
    if (isProven(open)) return undefined;
    const { truth, onRequest } = open.run;
    if (onRequest) return 'it was ended on request';
    if (truth === 'limit' || truth === 'environment' || truth === 'configuration') return `the cause was ${truth}`;
    return truth === 'unknown' && free.unknown < freeUnknownRetries && 'an unknown failure has free retries left';
  }),
  on('iteration.finished', 'A046, A047: an iteration is filed as what it was', ({ open }, data) => {
    if (data.status === 'skipped' || open?.run === undefined) return undefined;
    // A run that did nothing has failed, unless its changes are unknown or the checks show progress.
    const { known, count, headMoved } = open.run.changes;
    const isStill = known && count === 0 && !headMoved;
    const isEmpty = open.run.truth === 'empty' && isStill && data.progress.made === false && !isProven(open);
    const failed = open.run.truth === 'empty' ? isEmpty : open.run.truth !== 'worked';
    return failed !== (data.status !== 'completed') && `${open.run.truth} was filed as ${data.status}`;
  }),
  on(
    'iteration.finished',
    'A046: progress is what the work tree or the gate shows',
    ({ open, config }, { progress }) => {
      const changes = open?.run?.changes;
      const strategy = config?.progress.strategy;
      if (changes === undefined || (strategy !== 'combined' && strategy !== 'file_changes')) return undefined;
      const moved = changes.known && (changes.count > 0 || changes.headMoved);
      if (moved) return progress.made !== true && 'files changed, yet it counts as no progress';
      if (open?.gate !== undefined) return undefined;
      return progress.made !== (changes.known ? false : null) && `nothing moved, yet progress is ${progress.made}`;
    },
  ),
  on('iteration.interrupted', 'a free attempt is free for the right cause', ({ open }, { cause }) => {
    if (open === undefined) return undefined;
    if (cause === 'runner_lost') return open.run !== undefined && 'a run that was paid for is thrown away';
    if (cause === 'hook') return open.run !== undefined && 'a run that was paid for is thrown away';
    if (cause === 'request') return open.run !== undefined && !open.run.onRequest && 'it was not ended on request';
    return misblamed(open, cause);
  }),
  on('agent.finished', 'A121: an agent that dies of a full disk is not to blame', ({ wishes }, { outcome, ending }) => {
    const hasDied = ending.kind === 'signalled' || (ending.kind === 'exited' && ending.code !== 0);
    return hasDied && outcome === 'unknown' && wishes.pause?.isDiskFull === true && 'the agent is blamed';
  }),
  on('iteration.interrupted', 'a free attempt is bounded', ({ free }, { cause }) => {
    return cause === 'unknown' && free.unknown >= freeUnknownRetries && `${free.unknown} were free already`;
  }),
  on(
    'wait.scheduled',
    'a broken environment is tried again three times, then the loop pauses',
    ({ free }, { cause }) => {
      const spent = cause === 'environment' && free.environment > freeEnvironmentRetries;
      return spent && `retry ${free.environment}`;
    },
  ),
  on(
    'wait.scheduled',
    'B061: a free retry waits 5 s, then twice as long each time',
    ({ free, due }, data, { fact }) => {
      const { cause, until } = data;
      // A wait that is recorded again, after the clock was set back, is only the rest of one.
      if ((cause !== 'environment' && cause !== 'unknown') || due !== cause) return undefined;
      const [waitMs, expectedMs] = [Date.parse(until) - Date.parse(fact.at), 5_000 * 2 ** (free[cause] - 1)];
      return Math.abs(waitMs - expectedMs) > 1_000 && `${waitMs} ms instead of ${expectedMs}`;
    },
  ),
];

function misblamed(open: OpenAttempt, cause: string): string | false {
  const { run } = open;
  if (run === undefined) return 'it never ran';
  if (isProven(open)) return 'the gate had passed';
  return run.truth !== cause && `the cause was ${run.truth}, not ${cause}`;
}
