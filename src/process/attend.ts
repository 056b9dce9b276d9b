import { addAbortListener } from 'node:events';
import type { Ending, StopCause } from './ending.ts';
import type { Exit, Launched } from './launch.ts';
import { signalGroup } from './signals.ts';
import { sweep } from './sweep.ts';
import { isRunning } from './table.ts';
import { holdsWithin, settlesWithin } from './waiting.ts';
import { createWatchdog, type Limits, lookEveryMs } from './watchdog.ts';

/** How a running command is watched and ended. */
export interface AttendOptions extends Limits {
  readonly marker: string;
  /** Ends the command with grace when aborted; its reason stays with the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Ends it at once when aborted, also in the middle of the grace. */
  readonly killSignal?: AbortSignal | undefined;
  /** The command's own graceful signal; SIGTERM when left out. */
  readonly stopSignal?: NodeJS.Signals | undefined;
  /** How long it may take to end by itself; 10 s when left out. */
  readonly graceMs?: number | undefined;
}

/** The end of a command and of everything it started. */
export interface Attended {
  readonly ending: Ending;
  /** Processes that could not be ended; normally empty. */
  readonly survivors: readonly number[];
}

const DEFAULT_GRACE_MS = 10_000;
const KILL_TAKES_AT_MOST_MS = 5_000;

/** Watches a running command and returns only when nothing it started is left. */
export async function attend(launched: Launched, options: AttendOptions, outputBytes: () => number): Promise<Attended> {
  const cause = watchForCause(options, outputBytes);
  try {
    const first = await Promise.race([launched.exited, cause.promise]);
    if (typeof first === 'string') return await stop(launched, options, first);
    return { ending: naturalEnding(first), survivors: await sweep(options.marker, first.left) };
  } finally {
    cause.dispose();
  }
}

function naturalEnding({ code, signal }: Exit): Ending {
  return signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal };
}

function watchForCause(options: AttendOptions, outputBytes: () => number) {
  const { promise, resolve } = Promise.withResolvers<StopCause>();
  const passedBound = createWatchdog(options, { now: () => performance.now(), outputBytes });
  const looks = setInterval(() => {
    const bound = passedBound();
    if (bound !== undefined) resolve(bound);
  }, lookEveryMs(options));
  const signals = [options.signal, options.killSignal].filter((signal) => signal !== undefined);
  const listeners = signals.map((signal) => addAbortListener(signal, () => resolve('request')));
  const dispose = () => {
    clearInterval(looks);
    for (const listener of listeners) listener[Symbol.dispose]();
  };
  return { promise, dispose };
}

async function stop(launched: Launched, options: AttendOptions, by: StopCause): Promise<Attended> {
  const ended = await endWithGrace(launched, options);
  if (!ended) signalGroupOf(launched, 'SIGKILL');
  const collected = await settlesWithin(launched.exited, KILL_TAKES_AT_MOST_MS);
  const left = collected ? (await launched.exited).left : [];
  const swept = await sweep(options.marker, left);
  const survivors = collected || swept.includes(launched.pid) ? swept : [launched.pid, ...swept];
  return { ending: { kind: 'stopped', by, forced: !ended }, survivors };
}

/** True when the whole process group ended by itself within the grace. */
async function endWithGrace(launched: Launched, options: AttendOptions): Promise<boolean> {
  const { stopSignal = 'SIGTERM', graceMs = DEFAULT_GRACE_MS, killSignal } = options;
  if (killSignal?.aborted) return false;
  const deadline = performance.now() + graceMs;
  signalGroupOf(launched, stopSignal);
  // A process that stopped itself could not act on the signal.
  signalGroupOf(launched, 'SIGCONT');
  if (!(await settlesWithin(launched.exited, graceMs, killSignal))) return false;
  const { left } = await launched.exited;
  return holdsWithin(() => !left.some(isRunning), deadline - performance.now(), killSignal);
}

// The group number is surely ours only until its first process is collected; after that, go by identity.
function signalGroupOf(launched: Launched, signal: NodeJS.Signals): void {
  const { child, pid } = launched;
  if (child.exitCode === null && child.signalCode === null) signalGroup(pid, signal);
}
