import type { IterationOutcome } from '../core/index.ts';
import type { LoopEvent as RalphdEvent } from '../library/index.ts';
import type { LoopConfig } from './config.ts';
import type { LoopId } from './loop-id.ts';
import type { LoopStatsSnapshot } from './state.ts';

/** What every event carries. */
export interface LoopEventBase {
  /** The loop that it is about. */
  readonly loopId: LoopId;
  /** Its number in the loop's journal; undefined for an error before the loop exists. */
  readonly seq: number | undefined;
  /** When it happened, RFC 3339 UTC. */
  readonly at: string;
}

/** What happened in a loop. An event is durable before anyone receives it. */
export type LoopEvent = LoopEventBase &
  (
    | {
        /** The loop has started. */
        readonly type: 'started';
        /** Its configuration. */
        readonly config: LoopConfig;
      }
    | {
        /** The task is done. */
        readonly type: 'completed';
        /** The counters at the end. */
        readonly stats: LoopStatsSnapshot;
      }
    | {
        /** The loop failed: a limit, a stop rule or an error ended it. */
        readonly type: 'error';
        /** What went wrong. */
        readonly error: string;
        /** The counters at the end. */
        readonly stats: LoopStatsSnapshot;
      }
    | {
        /** The loop is paused: by a command, by a shutdown, or because it needs a person. */
        readonly type: 'paused';
        /** Why. */
        readonly reason: string;
      }
    | {
        /** A paused loop continues. */
        readonly type: 'resumed';
      }
    | {
        /** A user stopped the loop. */
        readonly type: 'stopped';
        /** Why. */
        readonly reason: string;
        /** The counters at the end. */
        readonly stats: LoopStatsSnapshot;
      }
    | {
        /** A limit or a stop condition ends the loop. */
        readonly type: 'stop_condition_triggered';
        /** Why. */
        readonly reason: string;
      }
    | {
        /** An iteration has started; again with the same number if an attempt was interrupted. */
        readonly type: 'iteration_started';
        /** Its number, from 1. */
        readonly iteration: number;
      }
    | {
        /** An iteration is over. */
        readonly type: 'iteration_completed';
        /** Its number. */
        readonly iteration: number;
        /** Its outcome. */
        readonly outcome: IterationOutcome;
      }
    | {
        /** An iteration failed, timed out or was skipped. The loop continues. */
        readonly type: 'iteration_failed';
        /** Its number. */
        readonly iteration: number;
        /** Why. */
        readonly error: string;
      }
    | {
        /** The loop is about to change to a fresh session. */
        readonly type: 'reboot_started';
      }
    | {
        /** The next iteration gets a fresh session; a reboot that fails is tried again. */
        readonly type: 'reboot_completed';
        /** Why it failed; undefined if it did not. */
        readonly error: string | undefined;
      }
  );

/** The words for the types of events. */
export type LoopEventType = LoopEvent['type'];

/** What is known of the loop when something happens in it. */
export interface EventSource {
  readonly loopId: LoopId;
  readonly config: LoopConfig;
  readonly stats: LoopStatsSnapshot;
}

/** An event of ralphd in the words of the loop runner; undefined if it has no word for it. */
export function eventOf(fact: RalphdEvent, source: EventSource): LoopEvent | undefined {
  const base = { loopId: source.loopId, seq: fact.seq, at: fact.at };
  const { stats } = source;
  switch (fact.type) {
    case 'loop.started':
      return { ...base, type: 'started', config: structuredClone(source.config) };
    case 'loop.paused':
      return { ...base, type: 'paused', reason: fact.data.message };
    case 'loop.resumed':
    case 'loop.recovered':
      return { ...base, type: 'resumed' };
    case 'stop_rule.triggered':
      return { ...base, type: 'stop_condition_triggered', reason: fact.data.message };
    case 'loop.ended': {
      const { status, message } = fact.data;
      if (status === 'completed') return { ...base, type: 'completed', stats };
      if (status === 'aborted') return { ...base, type: 'stopped', reason: message, stats };
      return { ...base, type: 'error', error: message, stats };
    }
    case 'iteration.started':
      return { ...base, type: 'iteration_started', iteration: fact.data.iteration };
    case 'iteration.finished': {
      const { iteration, status, failure } = fact.data;
      const { outcome } = fact;
      if (status === 'completed' && outcome) return { ...base, type: 'iteration_completed', iteration, outcome };
      return { ...base, type: 'iteration_failed', iteration, error: failure?.message ?? endingWords[status] };
    }
    case 'reboot.started':
      return { ...base, type: 'reboot_started' };
    case 'reboot.finished':
      return {
        ...base,
        type: 'reboot_completed',
        error: fact.data.ok ? undefined : (fact.data.message ?? 'it failed'),
      };
    default:
      return undefined;
  }
}

const endingWords = {
  completed: 'Its outcome is unknown.',
  failed: 'The iteration failed.',
  timed_out: 'The iteration took too long.',
  skipped: 'The iteration was skipped.',
} as const;
