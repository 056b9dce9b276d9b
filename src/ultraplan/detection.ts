import { anyPromiseTag, detectClaim, escapeForRegExp } from '../core/index.ts';

/** Recognises a promise tag whatever its text; the text is the first group. */
export const COMPLETION_TAG_PATTERN: RegExp = anyPromiseTag;

/**
 * Whether a text contains the promise in its tag: letter case and white space do not matter, everything else is
 * literal. Pass only what the assistant wrote.
 *
 * @param text the assistant's own text.
 * @param promise what it writes between the tags when the task is done.
 */
export function detectCompletion(text: string, promise: string): boolean {
  return detectClaim(text, { promise, match: 'anywhere' });
}

/** The text of the first promise tag, whatever it promises; null if there is no tag. */
export function findPromise(text: string): string | null {
  return COMPLETION_TAG_PATTERN.exec(text)?.[1]?.trim() ?? null;
}

/** Escapes a text so that a regular expression matches it literally. */
export function escapeRegex(text: string): string {
  return escapeForRegExp(text);
}
