import { failures, LoopError } from '../base/index.ts';
import type { Invocation } from './parse.ts';

/** The value of an option that takes a positive number; undefined if it is not given. */
export function countOption(options: Invocation['options'], name: string): number | undefined {
  const value = options[name];
  return value === undefined ? undefined : parseCount(`--${name}`, String(value));
}

/** Parses a positive whole number typed by a user. */
export function parseCount(what: string, text: string): number {
  const number = /^\d{1,15}$/u.test(text) ? Number(text) : 0;
  if (number >= 1) return number;
  throw new LoopError(failures.badValue(what, 'a whole number of at least 1', `"${text}"`));
}
