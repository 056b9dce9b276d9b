import { RE2JS } from 're2js';

/** The first of the user's patterns that an error matches. Linear in the error's length whatever the pattern. */
export function firstMatch(patterns: readonly string[], error: string): string | undefined {
  return patterns.find((pattern) => compile(pattern)?.matcher(error).find() === true);
}

/** Whether a pattern can be used; look-around and back references cannot. */
export function isUsablePattern(pattern: string): boolean {
  return compile(pattern) !== undefined;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
