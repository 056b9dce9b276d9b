import { scrub } from '../../base/index.ts';

/** How a report identifies a test. */
export interface NamedTest {
  readonly name: string;
  readonly file?: string | undefined;
}

// Only what no author uses to distinguish two tests: a number within a name may be the only difference.
const changing: readonly (readonly [RegExp, string])[] = [
  [/^\[gw\d+\] (?:\[ *\d+%\] )?/u, ''],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/giu, '#'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/gu, '#'],
  [/\b0x[\da-f]{6,}\b/giu, '0x#'],
  [/(localhost|\b127\.0\.0\.1|\b0\.0\.0\.0|\[::1\]):\d{2,5}\b/giu, '$1:#'],
  [/(\/tmp|\/var\/folders\/\w+\/\w+\/T)\/[^/\s]+/gu, '$1/#'],
  [/(\.[a-z]{1,5}):\d+(?::\d+)?(?=[\s)\]]|$)/giu, '$1'],
  [/\bpid[ =:]*\d+/giu, 'pid #'],
  [/ ?[([](?:(?:retry|attempt|try)[ #x:]*\d+(?:\/\d+)?|\d+(?:st|nd|rd|th) retry)[)\]]$/iu, ''],
  [/ ?[([] *\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|sec|seconds?|m|min|minutes?|h)[)\]]$/iu, ''],
];

/** A name without what changes from run to run: colours, times, addresses. Equal plain names mean the same test. */
export function plainName(name: string): string {
  const shown = oneLine(scrub(name));
  // Everything that changes contains a digit or a path, and most names contain neither.
  if (!/[\d/]/u.test(shown)) return shown;
  const plain = changing.reduce((text, [pattern, by]) => text.replace(pattern, by), shown).trim();
  return plain === '' ? shown : plain;
}

/** Identifies a test in all of its runs; tests with the same name in different files are different tests. */
export function testId({ name, file }: NamedTest): string {
  const plain = plainName(name);
  if (file === undefined) return plain;
  const place = plainName(file);
  return plain.includes(place) ? plain : `${place} > ${plain}`;
}

/** The plain names that are in one list and not in another; each stands for one test, as several may share a name. */
export function missingNames(names: readonly string[], others: readonly string[]): readonly string[] {
  // Most names are the same to the letter, and need no closer look.
  const different = missing(names, others);
  return different.length === 0 ? [] : missing(different.map(plainName), missing(others, names).map(plainName));
}

/** The names without one equal name each in the others. */
function missing(names: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const name of others) left.set(name, (left.get(name) ?? 0) + 1);
  return names.filter((name) => {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0;
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
