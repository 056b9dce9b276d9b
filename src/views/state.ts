import { waitOverAt } from '../core/index.ts';
import type { ProofLevel, Status, StoredView } from '../protocol/index.ts';
import type { OwnerState } from './standing.ts';

/** What a person has to know about a loop first. */
export type LoopState =
  | 'starting'
  | 'running'
  | 'verifying'
  | 'waiting'
  | 'parked'
  | 'hosted'
  | 'asking'
  | 'paused'
  | 'needs'
  | 'crashed'
  | 'frozen'
  | 'proven'
  | 'green'
  | 'claimed'
  | 'stopped'
  | 'aborted';

/** What the state of a loop follows from. */
export interface Seen {
  readonly view: StoredView;
  readonly shownStatus: Status | 'idle';
  readonly ownerState: OwnerState;
  readonly wakeAt?: string | undefined;
  readonly hostSession?: unknown;
}

/** The state of a loop. */
export function stateOf({ view, shownStatus, ownerState, wakeAt, hostSession }: Seen, nowMs: number): LoopState {
  switch (shownStatus) {
    case 'idle':
      return 'starting';
    case 'completed':
      if (!view.verified) return 'claimed';
      return view.doubts.some(({ code }) => code === 'already_green') ? 'green' : 'proven';
    case 'failed':
      return 'stopped';
    case 'aborted':
      return 'aborted';
    case 'crashed':
      return 'crashed';
    case 'paused':
      return view.reason === 'user_pause' || view.reason === 'interrupted' ? 'paused' : 'needs';
    case 'running':
    case 'completing':
      if (ownerState === 'stopped') return 'frozen';
      if (view.question !== undefined) return 'asking';
      if (wakeAt !== undefined) return 'parked';
      if (hostSession !== undefined) return 'hosted';
      return activeState(view, nowMs);
  }
}

function activeState({ current, wait, phase }: StoredView, nowMs: number): LoopState {
  if (current?.stage === 'verifying' || (current === undefined && phase === 'verifying')) return 'verifying';
  if (current === undefined && wait !== undefined && waitOverAt(wait, nowMs) > nowMs) return 'waiting';
  return 'running';
}

/** How a state is shown: its sign, its word and its ground. */
export interface StateLook {
  readonly sign: string;
  readonly word: string;
  readonly tone: 'move' | 'proof' | 'you' | 'stop' | 'rest';
  /** Where the list of loops shows it. */
  readonly group: 'needs you' | 'running' | 'waiting' | 'finished';
}

/** Green is proof, yellow needs a person, cyan moves, red has stopped; what rests or is unproven has no colour. */
export const stateLooks: Readonly<Record<LoopState, StateLook>> = {
  starting: { sign: '●', word: 'STARTING', tone: 'move', group: 'running' },
  running: { sign: '●', word: 'RUNNING', tone: 'move', group: 'running' },
  verifying: { sign: '◆', word: 'VERIFYING', tone: 'move', group: 'running' },
  hosted: { sign: '●', word: 'IN A SESSION', tone: 'move', group: 'running' },
  waiting: { sign: '○', word: 'WAITING', tone: 'rest', group: 'waiting' },
  parked: { sign: '○', word: 'PARKED', tone: 'rest', group: 'waiting' },
  paused: { sign: '‖', word: 'PAUSED', tone: 'rest', group: 'waiting' },
  asking: { sign: '▲', word: 'ASKS YOU', tone: 'you', group: 'needs you' },
  needs: { sign: '▲', word: 'NEEDS YOU', tone: 'you', group: 'needs you' },
  crashed: { sign: '▲', word: 'CRASHED', tone: 'you', group: 'needs you' },
  frozen: { sign: '▲', word: 'FROZEN', tone: 'you', group: 'needs you' },
  proven: { sign: '✓', word: 'PROVEN', tone: 'proof', group: 'finished' },
  green: { sign: '◇', word: 'ALREADY GREEN', tone: 'rest', group: 'finished' },
  claimed: { sign: '◇', word: 'CLAIMED', tone: 'rest', group: 'finished' },
  stopped: { sign: '✗', word: 'STOPPED', tone: 'stop', group: 'finished' },
  aborted: { sign: '■', word: 'ABORTED', tone: 'stop', group: 'finished' },
};

/** The level of proof of a completed loop, for its badge. */
export function proofBadge(state: LoopState, level: ProofLevel): string | undefined {
  return state === 'proven' || state === 'green' || state === 'claimed' ? `proof: ${level}` : undefined;
}
