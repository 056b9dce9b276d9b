import type { Loop } from '../../core/index.ts';
import type { AttemptKey, Clock } from '../../runner/index.ts';

/** Writes what can be rebuilt from the journal: beside a working agent within a moment, in every other state at once. */
export interface LateSaver {
  /** Saves a loop now or soon; throws what a save that had to wait threw. */
  save(loop: Loop): void;
  /** From now on facts are written that the loop to be saved does not include yet. */
  outdate(): void;
  /** The loop to be saved, after those facts. */
  update(loop: Loop): void;
  /** Writes what still waits. */
  finish(): void;
}

/** How long a state may wait. It is never written between two agents, except with another one. */
const waitMs = 200;

/** `write` receives the loop as it is by then: a snapshot must contain all that is in the journal. */
export function createLateSaver(write: (loop: Loop) => void, { monotonicMs }: Pick<Clock, 'monotonicMs'>): LateSaver {
  let latest: Loop | undefined;
  let isOutdated = false;
  let written: Loop['status'] | undefined;
  let waiting: { readonly untilMs: number; readonly timer: NodeJS.Timeout } | undefined;
  let failure: { readonly error: unknown } | undefined;

  const writeNow = (loop: Loop) => {
    clearTimeout(waiting?.timer);
    waiting = undefined;
    write(loop);
    written = loop.status;
  };
  const writeBesideAgent = () => {
    if (latest === undefined || isOutdated || workingAttempt(latest) === undefined) return;
    try {
      writeNow(latest);
    } catch (error) {
      failure = { error };
    }
  };
  const throwFailure = () => {
    const thrown = failure;
    failure = undefined;
    if (thrown !== undefined) throw thrown.error;
  };
  return {
    save(loop) {
      throwFailure();
      latest = loop;
      isOutdated = false;
      const isDue = waiting !== undefined && monotonicMs() >= waiting.untilMs;
      if (isDue || loop.status !== written || workingAttempt(loop) === undefined) return writeNow(loop);
      waiting ??= { untilMs: monotonicMs() + waitMs, timer: setTimeout(writeBesideAgent, waitMs).unref() };
    },
    outdate() {
      throwFailure();
      isOutdated = true;
    },
    update(loop) {
      latest = loop;
      isOutdated = false;
    },
    finish() {
      if (waiting !== undefined && latest !== undefined && !isOutdated) writeNow(latest);
      clearTimeout(waiting?.timer);
    },
  };
}

/** The attempt whose agent works at the moment. */
export function workingAttempt({ status, position: { current } }: Loop): AttemptKey | undefined {
  const isWorking = status === 'running' && current?.stage === 'executing' && current.process !== undefined;
  return isWorking ? current : undefined;
}
