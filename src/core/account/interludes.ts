import type { FactData, RecordedFact, StopReason } from '../../protocol/index.ts';

/** A wait for something outside, longer than the normal delay between iterations. */
export interface WaitSpan {
  readonly cause: FactData<'wait.scheduled'>['cause'];
  readonly message: string;
  readonly startedAt: string;
  /** When it ended or, for one that is under way, when it will. */
  readonly endedAt: string;
}

/** A pause. */
export interface PauseSpan {
  readonly reason: StopReason;
  readonly message: string;
  readonly startedAt: string;
  /** Missing while it lasts. */
  readonly endedAt?: string;
}

/** Times in which a loop did no work. */
export interface Interludes {
  /** The newest, oldest first. */
  readonly waits: readonly WaitSpan[];
  readonly pauses: readonly PauseSpan[];
  readonly waitedMs: number;
  readonly pausedMs: number;
  /** How many there were, including those that are not listed. */
  readonly counts: { readonly waits: number; readonly pauses: number };
}

const maxListed = 20;

interface Fold extends Interludes {
  readonly wait?: { readonly since: string; readonly data: FactData<'wait.scheduled'> };
  readonly pause?: PauseSpan;
}

const none: Fold = { waits: [], pauses: [], waitedMs: 0, pausedMs: 0, counts: { waits: 0, pauses: 0 } };

/** The waits and pauses in a journal, up to now. */
export function interludesOf(facts: Iterable<RecordedFact>, nowMs: number): Interludes {
  let fold = none;
  for (const fact of facts) fold = foldInterlude(fold, fact);
  const { waits, pauses, waitedMs, pausedMs, counts } = closePause(closeWait(fold, nowMs), undefined, nowMs);
  return { waits, pauses, waitedMs, pausedMs, counts };
}

function foldInterlude(fold: Fold, fact: RecordedFact): Fold {
  // A new owner, a command or a repair of files says nothing about the wait itself.
  if (fact.type === 'segment.opened' || fact.type === 'command.refused' || fact.type === 'state.restored') return fold;
  const atMs = Date.parse(fact.at);
  if (fact.type === 'wait.scheduled') {
    const { wait } = fold;
    // A clock that was set back schedules the rest of the same wait.
    const isRest = wait?.data.cause === fact.data.cause && wait.data.message === fact.data.message;
    const closed = isRest ? fold : closeWait(fold, atMs);
    return { ...closed, wait: { since: isRest ? wait.since : fact.at, data: fact.data } };
  }
  if (fact.type === 'loop.paused') {
    const { reason, message } = fact.data;
    return { ...closeWait(fold, atMs), pause: { reason, message, startedAt: fact.at } };
  }
  if (fact.type === 'loop.resumed' || fact.type === 'loop.ended')
    return closePause(closeWait(fold, atMs), fact.at, atMs);
  return fact.type === 'command.accepted' ? fold : closeWait(fold, atMs);
}

function closeWait(fold: Fold, atMs: number): Fold {
  const { wait, ...rest } = fold;
  if (wait === undefined || wait.data.cause === 'delay') return rest;
  const { cause, message, until } = wait.data;
  const startedMs = Date.parse(wait.since);
  const endMs = Math.max(startedMs, Math.min(atMs, Date.parse(until)));
  const span = { cause, message, startedAt: wait.since, endedAt: new Date(endMs).toISOString() };
  return {
    ...rest,
    waits: [...rest.waits, span].slice(-maxListed),
    waitedMs: rest.waitedMs + endMs - startedMs,
    counts: { ...rest.counts, waits: rest.counts.waits + 1 },
  };
}

function closePause(fold: Fold, endedAt: string | undefined, atMs: number): Fold {
  const { pause, ...rest } = fold;
  if (pause === undefined) return rest;
  return {
    ...rest,
    pauses: [...rest.pauses, endedAt === undefined ? pause : { ...pause, endedAt }].slice(-maxListed),
    pausedMs: rest.pausedMs + Math.max(0, atMs - Date.parse(pause.startedAt)),
    counts: { ...rest.counts, pauses: rest.counts.pauses + 1 },
  };
}
