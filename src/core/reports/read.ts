import { scrub } from '../../base/index.ts';
import { createAvaReader } from './ava.ts';
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
import { addCounts, type LineReader, mostDetails, type Sighting } from './tally.ts';
import { createTapReader } from './tap.ts';
import { createTapTerminalReader } from './tap-terminal.ts';
import { createUnittestReader } from './unittest.ts';
import { createVitestReader } from './vitest.ts';

const longestLine = 32 * 1024 * 1024;
const longestTextLine = 1_000;
const longestDrawing = 64 * 1024;
const mostOwners = 32;
const mostPrefixes = 3;

// Machines write whole documents on a line; what runners write for people never is that long.
const ofDocuments: readonly (() => LineReader)[] = [
  createJunitReader,
  createJsonReader,
  createGoReader,
  createLibtestReader,
];
const ofTexts: readonly (() => LineReader)[] = [
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
  /** What was reported; nothing when no runner's report was recognised. */
  finish(): TestReport | undefined;
}

/** Creates a reader for one output. */
export function createTestReportReader(): TestReportReader {
  const lines = createPrefixedChannel(0);
  let pieces: string[] = [];
  let length = 0;

  const readLine = (raw: string) => {
    // Every carriage return has become a line end; those at the end of a line, and the spaces that some terminals fill
    // it with, are nothing that somebody wrote.
    const [first = '', ...drawn] = scrub(raw).trimEnd().split('\n');
    lines.read(first, false);
    for (const line of drawn) lines.read(line.trimEnd(), true);
  };
  const endLine = () => {
    if (length <= longestLine) readLine(pieces.join(''));
    pieces = [];
    length = 0;
  };
  const keep = (piece: string) => {
    length += piece.length;
    if (length > longestLine) pieces = [];
    // Of a line that long only a document is read to its end.
    else if (length <= longestDrawing || piece.includes('\r') || opensDocument(pieces[0] ?? piece)) pieces.push(piece);
    // A progress bar draws over itself and never ends its line.
    const drawn = length > longestDrawing ? piece.lastIndexOf('\r') : -1;
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
      return lines.finish();
    },
  };
}

/** All readers on one sequence of lines. */
interface Channel {
  /** A line that is drawn over the one before it has that one's prefix. */
  read(line: string, isDrawnOver: boolean): void;
  finish(): TestReport | undefined;
}

/** The lines as they are, or when they hold no report, without what somebody else has put before each of them. */
function createPrefixedChannel(depth: number): Channel {
  const whole = createChannel();
  const owned = new Map<string, Channel>();
  let owner: string | undefined;
  return {
    read: (line, isDrawnOver) => {
      whole.read(line, isDrawnOver);
      if (depth >= mostPrefixes) return;
      if (isDrawnOver && owner !== undefined) {
        owned.get(owner)?.read(line, true);
        return;
      }
      const part = splitPrefix(line);
      owner = part?.owner;
      if (part === undefined) return;
      if (!owned.has(part.owner) && owned.size < mostOwners) owned.set(part.owner, createPrefixedChannel(depth + 1));
      owned.get(part.owner)?.read(part.text, isDrawnOver);
    },
    finish: () => whole.finish() ?? joined([...owned.values()].map((channel) => channel.finish())),
  };
}

function createChannel(): Channel {
  const documents = ofDocuments.map((create) => create());
  const texts = ofTexts.map((create) => create());
  const fences = createFences();
  let at = 0;
  return {
    read: (line) => {
      const text = line.length > longestTextLine ? line.slice(0, longestTextLine) : line;
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

/** The reports of tasks that ran side by side, as one. */
function joined(found: readonly (TestReport | undefined)[]): TestReport | undefined {
  const reports = found.filter((report) => report !== undefined);
  if (reports.length === 0) return undefined;
  const counts = reports.reduce<Counts>(addCounts, { passed: 0, failed: 0, skipped: 0 });
  const framework = [...new Set(reports.map((report) => report.framework))].join(', ');
  const details = reports.flatMap((report) => report.details);
  return toReport({ framework, counts, details: details.slice(0, mostDetails) });
}

/** What a test run printed, as a report; nothing when no runner's report was recognised. */
export function readTestReport(text: string): TestReport | undefined {
  const reader = createTestReportReader();
  reader.push(text);
  return reader.finish();
}

/**
 * The runner that spoke last is the one that was asked; any other was quoted by its tests or run by them. A run that
 * broke off has passed nothing: only its failures are worth a report.
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

/** Whether a line begins with what only a machine writes, whoever put prefixes before it. */
function opensDocument(line: string, depth = 0): boolean {
  if (/^\s*[{[<]/.test(line)) return true;
  const part = depth >= mostPrefixes ? undefined : splitPrefix(line);
  return part !== undefined && opensDocument(part.text, depth + 1);
}
