import * as z from 'zod';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../base/index.ts';

// A command validates few values, most of them once: compiling the validators costs more than it saves.
z.config({ jitless: true });

// Every `error` below completes the sentence "<setting> must be …, but it is …".

/** The longest duration that a timer of the platform can hold. */
const maxTimerMs = 24 * 86_400_000;

// Only so that editors can flag mistakes; `parseDuration` decides.
const durationLook = /^(0|[0-9][0-9.]*(w|d|h|m|s|ms)( ?[0-9][0-9.]*(w|d|h|m|s|ms))*)$/;

/** A duration is a text such as `1h 30m` in a file and milliseconds in the program. */
export function duration({ min = 0, max = maxTimerMs } = {}) {
  const wanted = 'a duration with a unit, such as "5s" or "1h 30m"';
  const lower = min === 0 ? '' : ` of at least ${formatDuration(min)}`;
  const bounded = `a duration${lower}${lower && ' and'} of at most ${formatDuration(max)}`;
  const written = z.string({ error: wanted }).regex(durationLook, { error: wanted, abort: true });
  return z.codec(written.meta({ examples: ['5s', '1h 30m'] }), z.int().min(min).max(max), {
    decode: (input, context) => {
      const ms = parseDuration(input);
      if (ms !== undefined && ms >= min && ms <= max) return ms;
      context.issues.push({ code: 'custom', input, message: ms === undefined ? wanted : bounded });
      return z.NEVER;
    },
    encode: formatDuration,
  });
}

// Only so that editors can flag mistakes; `parseSize` decides.
const sizeLook = /^[0-9][0-9.]* ?([KMGT]i?)?B$/;

/** A size is a text such as `4GB` in a file and bytes in the program. */
export function size({ min = 0 } = {}) {
  const wanted = 'a size with a unit, such as "500MB" or "4GiB"';
  const bounded = `a size of at least ${formatSize(min)}`;
  const written = z.string({ error: wanted }).regex(sizeLook, { error: wanted, abort: true });
  return z.codec(written.meta({ examples: ['500MB', '4GiB'] }), z.int().min(min), {
    decode: (input, context) => {
      const bytes = parseSize(input);
      if (bytes !== undefined && bytes >= min) return bytes;
      context.issues.push({ code: 'custom', input, message: bytes === undefined ? wanted : bounded });
      return z.NEVER;
    },
    encode: formatSize,
  });
}

/** A whole number within bounds. */
export function count(min: number, max = 2_147_483_646) {
  const error = max === 2_147_483_646 ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** An amount above zero, such as a sum of money. */
export function amount() {
  const error = 'a number above 0';
  return z.number({ error }).positive({ error });
}

/** One line or more of non-blank text. */
export function text() {
  const error = 'non-blank text (in quotes if it looks like a number)';
  return z.string({ error }).regex(/\S/, { error }).refine(hasNoNul, { error: withoutNul });
}

/** The text of a promise tag: something that an agent can print and a person can see. */
export function promise() {
  const error = 'visible text of at most 1000 characters';
  return text()
    .regex(/[^\s\p{C}]/u, { error })
    .max(1000, { error });
}

/** One argument of a program. */
export function argument() {
  return z.string({ error: 'text' }).refine(hasNoNul, { error: withoutNul });
}

// Absolute paths and ".." are refused here; symbolic links are checked when the file is opened.
const insideForm = /^(?!\/)(?!(?:[^]*\/)?\.\.(?:\/|$))/;

/** A path of a file below the working directory. */
export function inside() {
  return text().regex(insideForm, { error: 'a path inside the working directory, without ".."' });
}

/** One of a few words. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `one of ${words.join(', ')}` });
}

// What git and every file system accept as a part of a branch's name and as a folder.
const worktreeForm = /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,98}[A-Za-z0-9_-]$|^[A-Za-z0-9]$/;

/** Off, on, or the name of a worktree. */
export function worktree() {
  const error = 'true, false, or a name of letters, digits, ".", "_" and "-"';
  return z.union([z.boolean({ error }), z.string({ error }).regex(worktreeForm, { error })], { error });
}

/** On or off. */
export function toggle() {
  return z.boolean({ error: 'true or false' });
}

/** A list of anything. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'a list' });
}

/** A command: a string is the user's shell command line, a list is a program with its arguments, run without a shell. */
export function command() {
  const error = 'a command line, or a list of a program and its arguments';
  const program = z.string({ error }).regex(/\S/, { error }).refine(hasNoNul, { error });
  const argument = z.string({ error }).refine(hasNoNul, { error });
  return z.union([program, z.tuple([program], argument, { error })], { error });
}

/** A command line, or a list of commands. */
export function commands() {
  const error = 'a command line, or a list of commands';
  return z.union([z.string({ error }).regex(/\S/, { error }).refine(hasNoNul, { error }), list(command())], { error });
}

/** The name of an environment variable, or the beginning of several. */
export function variablePattern() {
  const error = 'the name of an environment variable, or its beginning followed by "*"';
  return z.string({ error }).regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, { error });
}

const hostForm =
  /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?$/;

/** A host that may be reached, with a port if it is not that of the web. */
export function host() {
  const error = 'a host such as "example.com", "*.example.com", "10.0.0.5:5432" or "[::1]:8080"';
  return z.string({ error }).regex(hostForm, { error });
}

/** Environment variables by name. */
export function variables() {
  const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
  const error = 'text (in quotes if it looks like a number)';
  const value = z.string({ error }).refine(hasNoNul, { error });
  return z.record(name, value, {
    error: ({ code }) => (code === 'invalid_key' ? 'named like an environment variable' : 'a mapping of names to text'),
  });
}

/** A group of settings; unknown keys are refused. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: 'a mapping of settings' });
}

const withoutNul = 'text without NUL characters';

// The operating system truncates arguments and variables at a NUL.
function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}
