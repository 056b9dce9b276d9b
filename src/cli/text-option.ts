import type { Invocation } from './parse.ts';

/** The text of an option that takes one; undefined if it is not given. */
export function textOf(value: Invocation['options'][string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
