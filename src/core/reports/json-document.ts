import type { TestStatus } from './report.ts';
import { createTally, type LineReader, type Tally } from './tally.ts';

type Fields = Readonly<Record<string, unknown>>;

const longestDocument = 32 * 1024 * 1024;
const hint = /"(?:numTotalTests|stats|summary_line|results)"/;

/** The JSON reports of Jest, Vitest, Mocha and RSpec, and CTRF: a document on one line or on many. */
export function createJsonReader(): LineReader {
  let tally = createTally();
  let framework = '';
  let lines: string[] | undefined;
  let length = 0;

  const interpret = (text: string, at: number) => {
    if (!hint.test(text)) return;
    const document = parseObject(text);
    const found = document && forms.find(({ is }) => is(document));
    if (document === undefined || found === undefined) return;
    const name = typeof found.framework === 'string' ? found.framework : found.framework(document);
    if (name !== framework) tally = createTally();
    framework = name;
    found.read(document, tally, at);
  };

  return {
    read: (line, at) => {
      if (lines === undefined) {
        if (line.startsWith('{') && line.trimEnd().endsWith('}')) interpret(line, at);
        else if (line.trimEnd() === '{') {
          lines = ['{'];
          length = 1;
        }
        return;
      }
      lines.push(line);
      length += line.length + 1;
      if (line.startsWith('}')) interpret(lines.join('\n'), at);
      if (line.startsWith('}') || length > longestDocument) lines = undefined;
    },
    finish: () => tally.finish(framework),
  };
}

interface Form {
  readonly framework: string | ((document: Fields) => string);
  readonly is: (document: Fields) => boolean;
  readonly read: (document: Fields, tally: Tally, at: number) => void;
}

const forms: readonly Form[] = [
  {
    framework: (document) => ('numRuntimeErrorTestSuites' in document ? 'jest' : 'vitest'),
    is: (document) => typeof document['numTotalTests'] === 'number' && Array.isArray(document['testResults']),
    read: readJest,
  },
  { framework: 'mocha', is: ({ stats }) => isObject(stats) && typeof stats['passes'] === 'number', read: readMocha },
  { framework: 'rspec', is: (document) => typeof document['summary_line'] === 'string', read: readRspec },
  {
    framework: 'ctrf',
    is: ({ results }) => isObject(results) && isObject(results['tool']) && isObject(results['summary']),
    read: readCtrf,
  },
];

function readJest(document: Fields, tally: Tally, at: number): void {
  let broken = 0;
  for (const suite of objects(document['testResults'])) {
    const tests = objects(suite['assertionResults']);
    if (tests.length === 0 && suite['status'] === 'failed') {
      broken += 1;
      tally.name('error', text(suite['name']), { error: text(suite['message']) });
    }
    const joint = 'numRuntimeErrorTestSuites' in document ? ' › ' : ' > ';
    for (const test of tests) {
      const titles = Array.isArray(test['ancestorTitles']) ? test['ancestorTitles'].map(String) : [];
      const messages = Array.isArray(test['failureMessages']) ? test['failureMessages'].map(String) : [];
      tally.name(statusOf(test['status']), [...titles.filter(Boolean), text(test['title'])].join(joint), {
        durationMs: number(test['duration']),
        error: messages[0],
      });
    }
  }
  const failed = count(document['numFailedTests']) + broken;
  const skipped = count(document['numPendingTests']) + count(document['numTodoTests']);
  tally.add({ passed: count(document['numPassedTests']), failed, skipped }, at);
}

function readMocha({ stats, ...lists }: Fields, tally: Tally, at: number): void {
  const counts = isObject(stats) ? stats : {};
  for (const [list, status] of [
    ['passes', 'passed'],
    ['pending', 'skipped'],
    ['failures', 'failed'],
  ] as const) {
    for (const test of objects(lists[list])) {
      const error = isObject(test['err']) ? text(test['err']['message']) : undefined;
      tally.name(status, text(test['fullTitle']), { durationMs: number(test['duration']), error });
    }
  }
  const { passes, failures, pending } = counts;
  tally.add({ passed: count(passes), failed: count(failures), skipped: count(pending) }, at);
}

function readRspec({ examples, summary }: Fields, tally: Tally, at: number): void {
  const counts = isObject(summary) ? summary : {};
  for (const test of objects(examples)) {
    const error = isObject(test['exception']) ? text(test['exception']['message']) : undefined;
    const seconds = number(test['run_time']);
    const durationMs = seconds === undefined ? undefined : seconds * 1_000;
    tally.name(statusOf(test['status']), text(test['full_description']), { durationMs, error });
  }
  const failures = count(counts['failure_count']);
  const failed = failures + count(counts['errors_outside_of_examples_count']);
  const skipped = count(counts['pending_count']);
  tally.add({ passed: Math.max(0, count(counts['example_count']) - failures - skipped), failed, skipped }, at);
}

function readCtrf({ results }: Fields, tally: Tally, at: number): void {
  const { summary, tests } = isObject(results) ? results : {};
  for (const test of objects(tests)) {
    const more = { durationMs: number(test['duration']), error: text(test['message']) };
    tally.name(statusOf(test['status']), text(test['name']), more);
  }
  const counts = isObject(summary) ? summary : {};
  const skipped = count(counts['skipped']) + count(counts['pending']) + count(counts['other']);
  tally.add({ passed: count(counts['passed']), failed: count(counts['failed']), skipped }, at);
}

function statusOf(word: unknown): TestStatus {
  return word === 'passed' || word === 'failed' ? word : 'skipped';
}

function parseObject(source: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
