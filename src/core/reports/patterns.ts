import { RE2JS } from 're2js';

/** The first of the user's patterns that an error matches. Linear in the error's length whatever the pattern. */
export function firstMatch(patterns: readonly string[], error: string): string | undefined {
  return patterns.find((pattern) => compile(pattern)?.matcher(error).find() === true);
}

/** Whether a pattern can be used; look-around and back references cannot. */
export function isUsablePattern(pattern: string): boolean {
  return compile(pattern) !== undefined;
}

/** Whether a pattern has a group that can hold a number. */
export function hasGroup(pattern: string): boolean {
  return (compile(pattern)?.groupCount() ?? 0) > 0;
}

const numberForm = /^[+-]?(?:\d{1,3}(?:[,_]\d{3})+|\d{1,15})?(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/u;

/** Reads the number in the first group of a pattern; undefined if there is none. */
export function createNumberReader(pattern: string): ((text: string) => number | undefined) | undefined {
  const compiled = compile(pattern);
  if (compiled === undefined || compiled.groupCount() === 0) return undefined;
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? numberIn(matcher.group(1)) : undefined;
  };
}

function numberIn(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!numberForm.test(trimmed) || !/\d/u.test(trimmed)) return undefined;
  const value = Number(trimmed.replaceAll(/[,_]/gu, ''));
  return Number.isFinite(value) ? value : undefined;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
