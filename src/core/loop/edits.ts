import type { FactData, FactType, RecordedFact } from '../../protocol/index.ts';
import { type EndedSession, keptSessions, type Loop, type Requests } from './loop.ts';

/** Changes one loop by the data of one kind of fact. */
export type Change<Type extends FactType> = (loop: Loop, data: FactData<Type>, fact: Envelope) => Loop;

/** When and by which owner a fact was written. */
export type Envelope = Pick<RecordedFact, 'seq' | 'at' | 'epoch'>;

/** Adds running time; time spent paused or without an owner is in no fact and so never counts. */
export function spendTime(loop: Loop, elapsedMs: number): Loop {
  return { ...loop, runningMs: loop.runningMs + elapsedMs };
}

/** A request that has been served. */
export function withoutRequest(requests: Requests, name: keyof Requests): Requests {
  const { [name]: _served, ...rest } = requests;
  return rest;
}

/** A loop that waits for nothing. */
export function withoutWait(loop: Loop): Loop {
  const { wait: _wait, ...rest } = loop;
  return rest;
}

/** A loop whose last attempt leads to nothing more. */
export function withoutOwed(loop: Loop): Loop {
  const { owed: _owed, ...rest } = loop;
  return rest;
}

/** Moves the agent's session, if there is one, into the bounded history. */
export function endSession(loop: Loop, endedAt: string, endReason: EndedSession['endReason']): Loop {
  if (loop.session === undefined) return loop;
  const { session, ...rest } = loop;
  const ended: EndedSession = {
    ...(session.id === undefined ? {} : { id: session.id }),
    startedAt: session.startedAt,
    endedAt,
    iterations: session.iterations,
    endReason,
  };
  return { ...rest, sessionHistory: [...loop.sessionHistory, ended].slice(-keptSessions) };
}
