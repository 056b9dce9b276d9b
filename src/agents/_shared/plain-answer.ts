import type { Ending } from '../../protocol/index.ts';
import type { Said } from './account.ts';

/** Keeps what an agent printed that was not asked for events: its answer in plain text. */
export interface PlainAnswer {
  /** Takes a line that is no event. Noise between events is not an answer. */
  take(line: string): void;
  /** There are events after all. */
  giveUp(): void;
  /** The answer counts only when the program also ended by itself and well. */
  said(ending: Ending): Said | undefined;
}

const longest = 64 * 1024;

/** Starts with an empty answer. */
export function createPlainAnswer(): PlainAnswer {
  let answer: string | undefined = '';
  return {
    take(line) {
      if (answer !== undefined) answer = `${answer}${line}\n`.slice(-longest);
    },
    giveUp() {
      answer = undefined;
    },
    said(ending) {
      const text = answer?.trim() ?? '';
      const isDone = ending.kind === 'exited' && ending.code === 0 && text !== '';
      return isDone ? { outcome: 'completed', text } : undefined;
    },
  };
}
