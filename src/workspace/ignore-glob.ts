/** One element of a pattern: an exact byte, one byte of a set, any one byte, or any number of bytes. */
type Token = number | ReadonlySet<number> | 'any' | 'many';

/** The parsed pattern of one name. */
export type Glob = readonly Token[];

const backslash = '\\';

/**
 * Parses a pattern into one glob per path part; a slash inside brackets separates nothing. Undefined when the pattern
 * is malformed: git lets a malformed pattern match nothing.
 */
export function parseGlobs(pattern: string): readonly Glob[] | undefined {
  const globs: Token[][] = [[]];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '/') {
      globs.push([]);
      continue;
    }
    if (char === '[') {
      const set = parseSet(pattern, at + 1);
      if (set === undefined) return undefined;
      globs.at(-1)?.push(set.bytes);
      at = set.end;
      continue;
    }
    if (char === backslash) at += 1;
    if (at === pattern.length) return undefined;
    globs.at(-1)?.push(char === '*' ? 'many' : char === '?' ? 'any' : pattern.charCodeAt(at));
  }
  return globs;
}

/** Whether a name matches, in time proportional to the product of both lengths at worst. */
export function matchesGlob(glob: Glob, name: string): boolean {
  // The last byte rules out most names at once.
  const last = glob.at(-1);
  if (typeof last === 'number' && last !== name.charCodeAt(name.length - 1)) return false;
  return matchesSequence(glob.length, name.length, {
    isMany: (at) => glob[at] === 'many',
    matches: (at, position) => matchesByte(glob[at], name.charCodeAt(position)),
  });
}

interface Sequence {
  /** Whether the pattern element stands for any number of items. */
  readonly isMany: (at: number) => boolean;
  readonly matches: (at: number, position: number) => boolean;
}

/**
 * Matches `count` items against `length` pattern elements, some of which stand for any number of items. On a mismatch
 * only the latest of these takes one more item; earlier ones need no retry, so hostile patterns cost no extra time.
 */
export function matchesSequence(length: number, count: number, { isMany, matches }: Sequence): boolean {
  let at = 0;
  let position = 0;
  let retryAt = -1;
  let retryPosition = 0;
  while (position < count) {
    if (at < length && isMany(at)) {
      at += 1;
      retryAt = at;
      retryPosition = position;
    } else if (at < length && matches(at, position)) {
      at += 1;
      position += 1;
    } else if (retryAt >= 0) {
      at = retryAt;
      retryPosition += 1;
      position = retryPosition;
    } else return false;
  }
  while (at < length && isMany(at)) at += 1;
  return at === length;
}

function matchesByte(token: Token | undefined, byte: number): boolean {
  if (token === undefined || token === 'many') return false;
  if (token === 'any') return true;
  return typeof token === 'number' ? token === byte : token.has(byte);
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Parses the rest of a bracket expression: `abc]`, `!a-z]`, `[:alpha:]_]`; undefined when it is malformed. */
function parseSet(pattern: string, start: number): { bytes: ReadonlySet<number>; end: number } | undefined {
  const chosen = new Set<number>();
  const negated = pattern[start] === '!' || pattern[start] === '^';
  let at = negated ? start + 1 : start;
  let before: number | undefined;
  for (const first = at; at === first || pattern[at] !== ']'; at += 1) {
    const named = /^\[:([^\]]*):\]/.exec(pattern.slice(at));
    if (named) {
      const members = namedClasses[named[1] ?? ''];
      if (members === undefined) return undefined;
      for (let byte = 0; byte < 256; byte += 1) if (members.test(String.fromCharCode(byte))) chosen.add(byte);
      at += named[0].length - 1;
      before = undefined;
      continue;
    }
    const isRange = pattern[at] === '-' && before !== undefined && at + 1 < pattern.length && pattern[at + 1] !== ']';
    if (isRange) at += 1;
    if (pattern[at] === backslash) at += 1;
    if (at >= pattern.length) return undefined;
    const byte = pattern.charCodeAt(at);
    for (let each = isRange ? (before ?? byte) : byte; each <= byte; each += 1) chosen.add(each);
    before = isRange ? undefined : byte;
  }
  const bytes = negated ? new Set(everyByte().filter((byte) => !chosen.has(byte))) : chosen;
  return { bytes, end: at };
}

function everyByte(): number[] {
  return Array.from({ length: 256 }, (_, byte) => byte);
}
