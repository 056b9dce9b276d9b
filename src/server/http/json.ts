import { scrub } from '../../base/index.ts';

/**
 * The JSON of an answer. Every text is scrubbed here, in one place: what an agent or a file says may hold escape
 * sequences, and characters that hide or reorder what is read.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'string' ? scrub(each) : each));
}
