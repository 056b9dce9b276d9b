import { addAbortListener } from 'node:events';
import type { StopCause, Stopped } from './ending.ts';
import type { ProcessRow } from './process-row.ts';
import type { Subject } from './subject.ts';
import { sweep } from './sweep.ts';
import { isRunning } from './table.ts';
import { holdsWithin, settlesWithin } from './waiting.ts';
import { checkIntervalMs, createWatchdog, type Limits, type Readings } from './watchdog.ts';

/** How a running command is watched and ended. */
export interface AttendOptions extends Limits {
  readonly marker: string;
  /** Ends the command with grace when aborted; its reason stays with the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Ends it at once when aborted, even during the grace period. */
  readonly killSignal?: AbortSignal | undefined;
  /** The command's own graceful signal; SIGTERM when left out. */
  readonly stopSignal?: NodeJS.Signals | undefined;
  /** How long it may take to end by itself; 10 s when left out. */
  readonly graceMs?: number | undefined;
  /** Names of programs that may keep running when the command has ended. */
  readonly keepProcesses?: readonly string[] | undefined;
  /** Finds what carries the marker; all processes are searched when left out. */
  readonly findMarked?: (() => readonly ProcessRow[]) | undefined;
}

/** What the watchdog reads, besides the clock. */
export type Signs = Omit<Readings, 'now'>;

/** The end of a command and of everything it started. */
export interface Attended<Natural> {
  readonly ending: Natural | Stopped;
  /** Processes that could not be ended; normally empty. */
  readonly survivors: readonly number[];
}

/** The default grace period, and how long a killed process may take to end. */
export const defaultGraceMs = 10_000;
const maxKillMs = 5_000;

/** Watches a running command and returns only when nothing it started is left. */
export async function attend<Natural extends object>(
  subject: Subject<Natural>,
  options: AttendOptions,
  signs: Signs,
): Promise<Attended<Natural>> {
  const cause = watchForCause(options, signs);
  try {
    const first = await Promise.race([subject.exited, cause.promise]);
    if (typeof first === 'string') return await stop(subject, options, first);
    const survivors = await sweep(options.marker, first.left, sweepBy(options));
    // Output that is cut off at its limit ends a command before the next check.
    if (signs.outputBytes() > (options.maxOutputBytes ?? Infinity))
      return { ending: { kind: 'stopped', by: 'output', forced: false }, survivors };
    return { ending: first.ending, survivors };
  } finally {
    cause.dispose();
  }
}

function watchForCause(options: AttendOptions, signs: Signs) {
  const { promise, resolve } = Promise.withResolvers<StopCause>();
  const passedBound = createWatchdog(options, { now: () => performance.now(), ...signs });
  const checks = setInterval(() => {
    const bound = passedBound();
    if (bound !== undefined) resolve(bound);
  }, checkIntervalMs(options));
  const signals = [options.signal, options.killSignal].filter((signal) => signal !== undefined);
  const listeners = signals.map((signal) => addAbortListener(signal, () => resolve('request')));
  const dispose = () => {
    clearInterval(checks);
    for (const listener of listeners) listener[Symbol.dispose]();
  };
  return { promise, dispose };
}

async function stop<Natural extends object>(
  subject: Subject<Natural>,
  options: AttendOptions,
  by: StopCause,
): Promise<Attended<Natural>> {
  // While it has time to end by itself, it would take more memory.
  const ended = by !== 'memory' && (await endWithGrace(subject, options));
  if (!ended) subject.signal('SIGKILL');
  const collected = await settlesWithin(subject.exited, maxKillMs);
  const left = collected ? (await subject.exited).left : subject.left();
  const swept = await sweep(options.marker, left, sweepBy(options));
  const survivors = collected || swept.includes(subject.pid) ? swept : [subject.pid, ...swept];
  return { ending: { kind: 'stopped', by, forced: !ended }, survivors };
}

function sweepBy({ keepProcesses, findMarked }: AttendOptions) {
  return { keep: keepProcesses, findMarked };
}

/** True if the whole process group ended by itself within the grace period. */
async function endWithGrace(subject: Subject<object>, options: AttendOptions): Promise<boolean> {
  const { stopSignal = 'SIGTERM', graceMs = defaultGraceMs, killSignal, keepProcesses = [] } = options;
  if (killSignal?.aborted) return false;
  const deadline = performance.now() + graceMs;
  subject.signal(stopSignal);
  // A process that stopped itself could not act on the signal.
  subject.signal('SIGCONT');
  if (!(await settlesWithin(subject.exited, graceMs, killSignal))) return false;
  const left = (await subject.exited).left.filter(({ name }) => !keepProcesses.includes(name));
  return holdsWithin(() => !left.some(isRunning), deadline - performance.now(), killSignal);
}
