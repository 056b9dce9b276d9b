import { scrub } from '../../base/index.ts';
import { createAvaReader } from './ava.ts';
import { readBareSummary } from './bare-summary.ts';
import { createBunReader } from './bun.ts';
import { createCargoReader, createNextestReader } from './cargo.ts';
import { createCatchReader, createDoctestReader } from './catch.ts';
import { createDenoReader } from './deno.ts';
import { createDotnetReader } from './dotnet.ts';
import { createFences } from './fences.ts';
import { createGoReader, createGotestsumReader } from './go.ts';
import { createJestReader } from './jest.ts';
import { createJsonReader } from './json-document.ts';
import { createJunitReader } from './junit-xml.ts';
import { createGradleReader, createSurefireReader } from './jvm.ts';
import { createLibtestReader } from './libtest-events.ts';
import { createJasmineReader, createMochaReader } from './mocha.ts';
import { createCtestReader, createGtestReader } from './native.ts';
import { createNodeSpecReader } from './node-test.ts';
import { createPestReader } from './pest.ts';
import { createPhpunitReader } from './phpunit.ts';
import { createPlaywrightReader } from './playwright.ts';
import { splitPrefix } from './prefixes.ts';
import { createPytestReader } from './pytest.ts';
import type { Counts, TestReport } from './report.ts';
import { createMinitestReader, createRspecReader } from './ruby.ts';
import { createBatsReader, createExunitReader, createProveReader } from './shell.ts';
import { createSwiftReader } from './swift.ts';
import { addCounts, type LineReader, maxDetails, type Sighting } from './tally.ts';
import { createTapReader } from './tap.ts';
import { createTapTerminalReader } from './tap-terminal.ts';
import { createUnittestReader } from './unittest.ts';
import { createVitestReader } from './vitest.ts';

const maxLineLength = 32 * 1024 * 1024;
const maxTextLineLength = 1_000;
const maxDrawingLength = 64 * 1024;
const maxOwners = 32;
const maxPrefixes = 3;

// Documents for machines may be one long line; lines for people are never that long.
const documentReaders: readonly (() => LineReader)[] = [
  createJunitReader,
  createJsonReader,
  createGoReader,
  createLibtestReader,
];
const textReaders: readonly (() => LineReader)[] = [
  createGotestsumReader,
  createCargoReader,
  createNextestReader,
  createPytestReader,
  createUnittestReader,
  createJestReader,
  createVitestReader,
  createMochaReader,
  createJasmineReader,
  createPlaywrightReader,
  createAvaReader,
  createBunReader,
  createDenoReader,
  createNodeSpecReader,
  createTapReader,
  createTapTerminalReader,
  createSurefireReader,
  createGradleReader,
  createDotnetReader,
  createRspecReader,
  createMinitestReader,
  createPhpunitReader,
  createPestReader,
  createSwiftReader,
  createGtestReader,
  createCtestReader,
  createCatchReader,
  createDoctestReader,
  createBatsReader,
  createProveReader,
  createExunitReader,
];

/** Reads a test run piece by piece: however long the output, only its report is kept. */
export interface TestReportReader {
  push(chunk: string): void;
  /** The report; undefined if no runner's report was recognised. */
  finish(): TestReport | undefined;
}

/** Creates a reader for one output. */
export function createTestReportReader(): TestReportReader {
  const lines = createPrefixedChannel(0);
  let pieces: string[] = [];
  let length = 0;
  // The only line with text in it; undefined once there is another.
  let only: string | undefined = '';

  const readLine = (raw: string) => {
    // Every carriage return has become a line end; those at the end of a line, and the spaces with which some terminals
    // fill it, are not part of the output.
    const [first = '', ...drawn] = scrub(raw).trimEnd().split('\n');
    if (only !== undefined && raw.trim() !== '') only = only === '' && drawn.length === 0 ? first : undefined;
    lines.read(first, false);
    for (const line of drawn) lines.read(line.trimEnd(), true);
  };
  const endLine = () => {
    if (length <= maxLineLength) readLine(pieces.join(''));
    pieces = [];
    length = 0;
  };
  const keep = (piece: string) => {
    length += piece.length;
    if (length > maxLineLength) pieces = [];
    // A line that long is read to its end only if it is a document.
    else if (length <= maxDrawingLength || piece.includes('\r') || opensDocument(pieces[0] ?? piece))
      pieces.push(piece);
    // A progress bar draws over itself and never ends its line.
    const drawn = length > maxDrawingLength ? piece.lastIndexOf('\r') : -1;
    if (drawn < 0 || pieces.length === 0) return;
    readLine(pieces.join('').slice(0, drawn - piece.length));
    pieces = [piece.slice(drawn + 1)];
    length = piece.length - drawn - 1;
  };

  return {
    push: (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
        keep(chunk.slice(from, end));
        endLine();
        from = end + 1;
      }
      if (from < chunk.length) keep(chunk.slice(from));
    },
    finish: () => {
      endLine();
      const bare = only === undefined ? undefined : readBareSummary(only);
      return lines.finish() ?? (bare && toReport({ ...bare, details: [] }));
    },
  };
}

/** All readers on one sequence of lines. */
interface Channel {
  /** A line that is drawn over the one before it has that one's prefix. */
  read(line: string, isDrawnOver: boolean): void;
  finish(): TestReport | undefined;
}

/** Reads the lines as they are and, if they contain no report, without the prefix that another program put on each. */
function createPrefixedChannel(depth: number): Channel {
  const whole = createChannel();
  const owned = new Map<string, Channel>();
  let owner: string | undefined;
  return {
    read: (line, isDrawnOver) => {
      whole.read(line, isDrawnOver);
      if (depth >= maxPrefixes) return;
      if (isDrawnOver && owner !== undefined) {
        owned.get(owner)?.read(line, true);
        return;
      }
      const part = splitPrefix(line);
      owner = part?.owner;
      if (part === undefined) return;
      if (!owned.has(part.owner) && owned.size < maxOwners) owned.set(part.owner, createPrefixedChannel(depth + 1));
      owned.get(part.owner)?.read(part.text, isDrawnOver);
    },
    finish: () => whole.finish() ?? joined([...owned.values()].map((channel) => channel.finish())),
  };
}

function createChannel(): Channel {
  const documents = documentReaders.map((create) => create());
  const texts = textReaders.map((create) => create());
  const fences = createFences();
  let at = 0;
  return {
    read: (line) => {
      const text = line.length > maxTextLineLength ? line.slice(0, maxTextLineLength) : line;
      for (const reader of documents) reader.read(line, at);
      for (const reader of texts) reader.read(text, at);
      fences.read(text, at);
      at += 1;
    },
    finish: () => {
      const sightings = [...documents, ...texts]
        .map((reader) => reader.finish())
        .filter((found) => found !== undefined);
      return reportOf(sightings.filter(({ lastLine }) => !fences.quoted(lastLine)));
    },
  };
}

/** The reports of parallel tasks, combined into one. */
function joined(found: readonly (TestReport | undefined)[]): TestReport | undefined {
  const reports = found.filter((report) => report !== undefined);
  if (reports.length === 0) return undefined;
  const counts = reports.reduce<Counts>(addCounts, { passed: 0, failed: 0, skipped: 0 });
  const framework = [...new Set(reports.map((report) => report.framework))].join(', ');
  const details = reports.flatMap((report) => report.details);
  return toReport({ framework, counts, details: details.slice(0, maxDetails) });
}

/** Reads the output of a test run as a report; undefined if no runner's report was recognised. */
export function readTestReport(text: string): TestReport | undefined {
  const reader = createTestReportReader();
  reader.push(text);
  return reader.finish();
}

/**
 * The runner that reported last is the one that the check started; any other was quoted or run by its tests. A run
 * that broke off has not passed: it is reported only if it has failures.
 */
function reportOf(sightings: readonly Sighting[]): TestReport | undefined {
  const [first, ...others] = sightings;
  if (first === undefined) return undefined;
  const last = others.reduce((best, next) => (next.lastLine > best.lastLine ? next : best), first);
  return last.isOver || last.counts.failed > 0 ? toReport(last) : undefined;
}

function toReport({ framework, counts, details }: Pick<Sighting, 'framework' | 'counts' | 'details'>): TestReport {
  const { passed, failed, skipped } = counts;
  return { framework, total: passed + failed + skipped, passed, failed, skipped, details };
}

/** Whether a line, without any prefixes, begins like a document for machines. */
function opensDocument(line: string, depth = 0): boolean {
  if (/^\s*[{[<]/.test(line)) return true;
  const part = depth >= maxPrefixes ? undefined : splitPrefix(line);
  return part !== undefined && opensDocument(part.text, depth + 1);
}
