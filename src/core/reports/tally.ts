import { boundText } from '../../base/index.ts';
import type { Counts, TestDetail, TestStatus } from './report.ts';

/** What one reader found in a text, and the last line on which it found something. */
export interface Sighting {
  readonly framework: string;
  readonly counts: Counts;
  readonly details: readonly TestDetail[];
  readonly lastLine: number;
  /** Whether the last announced run also has a summary. */
  readonly isOver: boolean;
}

/** Reads the output of one kind of test runner, line by line. Lines are numbered, without colours and line ends. */
export interface LineReader {
  read(line: string, at: number): void;
  /** Undefined if the text contained no report of this kind. */
  finish(): Sighting | undefined;
}

/** Adds up the summaries of a text, and keeps a bounded list of the tests that it names. */
export interface Tally {
  /**
   * A run has begun and has no summary yet. One that begins while another is still open was run or quoted by a test of
   * the other, and is not counted.
   */
  open(at: number): void;
  /** How many runs are open within each other. */
  depth(): number;
  /** The line is still part of the runner's output, whatever it contains. */
  hold(at: number): void;
  /** Counts the tests of one summary; this alone makes a report. */
  add(counts: Partial<Counts>, at: number): void;
  /** Names a test. It is counted by its summary. */
  name(status: TestStatus, name: string, more?: NamedTestDetails): void;
  /** The runner's message for the failing test that was named last. */
  explain(error: string): void;
  /** Whether a test of that name has been kept as failing. */
  hasFailing(name: string): boolean;
  finish(framework: string): Sighting | undefined;
}

/** What a report may add to the name of a test. */
export interface NamedTestDetails {
  readonly durationMs?: number | undefined;
  readonly error?: string | undefined;
  readonly file?: string | undefined;
}

/** The maximum number of tests that a report names. */
export const maxDetails = 500;
const maxNameLength = 300;
const maxFileLength = 200;
const maxErrorLength = 1_000;

/** Creates an empty tally. */
export function createTally(): Tally {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  let openedAt = -1;
  let summedAt = -1;
  let depth = 0;
  let heldTo = -1;
  let order = 0;
  const failing: [number, TestDetail][] = [];
  const others: [number, TestDetail][] = [];
  const failingNames = new Set<string>();

  return {
    open: (at) => {
      openedAt = at;
      depth += 1;
    },
    depth: () => depth,
    hold: (at) => {
      heldTo = at;
    },
    add: (more, at) => {
      summedAt = Math.max(summedAt, at);
      if (depth <= 1) counts = addCounts(counts, more);
      depth = Math.max(0, depth - 1);
    },
    name: (status, name, more = {}) => {
      const isBad = status === 'failed' || status === 'error';
      const list = isBad ? failing : others;
      if (list.length >= maxDetails) return;
      const detail = detailOf(status, name, more);
      if (isBad) failingNames.add(detail.name);
      list.push([(order += 1), detail]);
    },
    explain: (error) => {
      const last = failing.at(-1);
      const text = boundText(error.trim(), maxErrorLength);
      if (last !== undefined && last[1].error === undefined && text !== '') last[1] = { ...last[1], error: text };
    },
    hasFailing: (name) => failingNames.has(boundName(name)),
    finish: (framework) => {
      if (openedAt < 0 && summedAt < 0) return undefined;
      const kept = [...failing, ...others.slice(0, maxDetails - failing.length)].sort(([a], [b]) => a - b);
      const lastLine = Math.max(openedAt, summedAt, heldTo);
      return { framework, counts, details: kept.map(([, detail]) => detail), lastLine, isOver: depth === 0 };
    },
  };
}

/** The sum of two counts. */
export function addCounts(counts: Counts, more: Partial<Counts>): Counts {
  return {
    passed: counts.passed + (more.passed ?? 0),
    failed: counts.failed + (more.failed ?? 0),
    skipped: counts.skipped + (more.skipped ?? 0),
  };
}

/** The counts of a summary that gives the total, but not how many passed. */
export function countsOf(total: number, { failed = 0, skipped = 0 }: Partial<Counts>): Counts {
  return { passed: Math.max(0, total - failed - skipped), failed, skipped };
}

/** The number in a pattern's group; 0 if the group did not match. */
export function groupNumber(match: RegExpExecArray | null, group: number): number {
  return Number(match?.[group] ?? 0);
}

/** The numbers in a pattern's first groups. */
export function numbersOf(match: RegExpExecArray | null, groups: number): readonly number[] {
  return Array.from({ length: groups }, (_, index) => groupNumber(match, index + 1));
}

/** `3 failed, 2 passed` as a map from word to number; undefined if a part is anything but a number and a word. */
export function wordCounts(text: string, separator: string): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const part of text.split(separator)) {
    const match = /^(\d{1,9}) ([a-z][a-z ()]*)$/.exec(part.trim());
    if (match?.[2] === undefined) return undefined;
    counts.set(match[2], groupNumber(match, 1));
  }
  return counts;
}

/** The sum of the named words. */
export function sumOf(counts: ReadonlyMap<string, number>, ...words: readonly string[]): number {
  return words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
}

function detailOf(status: TestStatus, name: string, { durationMs, error, file }: NamedTestDetails): TestDetail {
  const isUsable = durationMs !== undefined && Number.isFinite(durationMs) && durationMs >= 0;
  return {
    name: boundName(name),
    status,
    ...(file === undefined || file.trim() === '' ? {} : { file: boundText(plainPath(file), maxFileLength) }),
    ...(isUsable ? { durationMs } : {}),
    ...(error === undefined || error.trim() === '' ? {} : { error: boundText(error.trim(), maxErrorLength) }),
  };
}

function plainPath(file: string): string {
  return file.trim().replace(/^\.\//, '');
}

function boundName(name: string): string {
  return boundText(name.trim(), maxNameLength);
}
