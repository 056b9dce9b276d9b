import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from './account.ts';

/** Collects the plain-text answer of an agent that was not asked for events. */
export interface PlainAnswer {
  /** Takes a line that is no event. Noise between events is not an answer. */
  take(line: string): void;
  /** There are events after all. */
  giveUp(): void;
  /** The answer counts only if the program also exited with 0. */
  reported(ending: Ending): RunResult | undefined;
}

const maxLength = 64 * 1024;

/** Starts with an empty answer. */
export function createPlainAnswer(): PlainAnswer {
  let answer: string | undefined = '';
  return {
    take(line) {
      if (answer !== undefined) answer = `${answer}${line}\n`.slice(-maxLength);
    },
    giveUp() {
      answer = undefined;
    },
    reported(ending) {
      const text = answer?.trim() ?? '';
      const isDone = ending.kind === 'exited' && ending.code === 0 && text !== '';
      return isDone ? { outcome: 'completed', text } : undefined;
    },
  };
}
