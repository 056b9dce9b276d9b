import type { RalphLoopState } from './state.ts';

/** How every text starts that comes from the system and not from a person. */
export const SYSTEM_DIRECTIVE_PREFIX = '[SYSTEM DIRECTIVE: ULTRA-PLANNING';

/** Whether a text comes from the system: a prompt of `buildContinuationPrompt`, for example. */
export function isSystemDirective(text: string): boolean {
  return text.trimStart().startsWith(SYSTEM_DIRECTIVE_PREFIX);
}

/** The prompt with which an agent continues a loop. Task and promise are in it as they are. */
export function buildContinuationPrompt(state: RalphLoopState): string {
  const { iteration, maxIterations, completionPromise, prompt } = state;
  return `${SYSTEM_DIRECTIVE_PREFIX} - RALPH LOOP ${iteration}/${maxIterations}]

You stopped without the completion promise, so the task is not done. Continue working on it.

- Review what you have done so far.
- Continue from there; do not start again.
- When the task is completely done, and only then, write: <promise>${completionPromise}</promise>
- Do not stop before that.

Original task:
${prompt}`;
}
