import type { IterationSign } from '../../src/core/index.ts';
import type { ShownState } from '../../src/protocol/index.ts';

/** How the page shows the result of an iteration. */
export interface SignLook {
  readonly mark: string;
  readonly word: string;
  readonly look: 'move' | 'proof' | 'refuse' | 'fail' | 'rest' | 'claim' | 'open';
}

/** Red is kept for trouble: a refused claim after which fewer tests fail has moved on. */
export const signLooks: Readonly<Record<IterationSign, SignLook>> = {
  proven: { mark: '✓', word: 'proven', look: 'proof' },
  claimed: { mark: '◇', word: 'accepted unchecked', look: 'claim' },
  better: { mark: '↑', word: 'progress', look: 'move' },
  still: { mark: '·', word: 'no progress', look: 'rest' },
  refused: { mark: '×', word: 'claim refused, no better', look: 'refuse' },
  failed: { mark: '!', word: 'failed', look: 'fail' },
  skipped: { mark: '»', word: 'skipped', look: 'rest' },
  unknown: { mark: '?', word: 'progress unknown', look: 'rest' },
  open: { mark: '▸', word: 'under way', look: 'open' },
};

/** How the page shows the state of a loop. */
export interface BadgeLook {
  readonly mark: string;
  readonly word: string;
  /** Told apart by fill as well as by colour: tint, solid, outline, dashed. */
  readonly look: 'move' | 'proof' | 'you' | 'stop' | 'rest' | 'claim';
}

/** Green is proof, yellow needs a person, blue moves, red has stopped; what rests or is unproven has no colour. */
export const badgeLooks: Readonly<Record<ShownState, BadgeLook>> = {
  starting: { mark: '●', word: 'Starting', look: 'move' },
  running: { mark: '●', word: 'Running', look: 'move' },
  verifying: { mark: '◆', word: 'Verifying', look: 'move' },
  hosted: { mark: '●', word: 'In a session', look: 'move' },
  waiting: { mark: '○', word: 'Waiting', look: 'rest' },
  parked: { mark: '○', word: 'Parked', look: 'rest' },
  paused: { mark: '‖', word: 'Paused', look: 'rest' },
  asking: { mark: '▲', word: 'Asks you', look: 'you' },
  needs: { mark: '▲', word: 'Needs you', look: 'you' },
  crashed: { mark: '▲', word: 'Crashed', look: 'you' },
  frozen: { mark: '▲', word: 'Frozen', look: 'you' },
  proven: { mark: '✓', word: 'Proven', look: 'proof' },
  green: { mark: '◇', word: 'Already green', look: 'claim' },
  claimed: { mark: '◇', word: 'Claimed only', look: 'claim' },
  stopped: { mark: '✗', word: 'Stopped', look: 'stop' },
  aborted: { mark: '■', word: 'Aborted', look: 'stop' },
};

/** Whether a loop can still change by itself. */
export function isMoving(state: ShownState): boolean {
  return badgeLooks[state].look === 'move' || state === 'waiting';
}

/** Whether a loop has ended for good. */
export function isOver(state: ShownState): boolean {
  return ['proven', 'green', 'claimed', 'stopped', 'aborted'].includes(state);
}
