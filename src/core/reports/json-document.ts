import type { Counts } from './report.ts';
import { addCounts, createTally, type LineReader, type Tally } from './tally.ts';

type Fields = Readonly<Record<string, unknown>>;

const maxDocumentLength = 32 * 1024 * 1024;
const hint = /"(?:numTotalTests|stats|summary_line|results|testsuites)"/;

/** The JSON reports of Jest, Vitest, Mocha, RSpec and GoogleTest, and CTRF: a document on one line or on many. */
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

  /** Mocha's stream: a list for every test, and one with the counts. */
  const readStream = (line: string, at: number) => {
    const [word, fields] = parseList(line);
    if (!isObject(fields) || (word !== 'fail' && word !== 'end')) return;
    if (word === 'fail') tally.name('failed', text(fields['fullTitle']), { error: text(fields['err']) });
    else if (typeof fields['passes'] === 'number') {
      framework = 'mocha';
      readMocha({ stats: fields }, tally, at);
    }
  };

  return {
    read: (line, at) => {
      if (lines === undefined) {
        if (line.startsWith('["')) readStream(line, at);
        // The next program's output may follow on the same line.
        else if (line.startsWith('{') && line.includes('}')) interpret(line.slice(0, line.lastIndexOf('}') + 1), at);
        else if (line === '{') {
          lines = ['{'];
          length = 1;
        }
        return;
      }
      lines.push(line.startsWith('}') ? '}' : line);
      length += line.length + 1;
      if (line.startsWith('}')) interpret(lines.join('\n'), at);
      if (line.startsWith('}') || length > maxDocumentLength) lines = undefined;
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
  {
    framework: 'mocha',
    is: ({ stats }) =>
      isObject(stats) && ['tests', 'passes', 'failures'].every((word) => typeof stats[word] === 'number'),
    read: readMocha,
  },
  {
    framework: 'playwright',
    is: ({ stats, suites }) => isObject(stats) && typeof stats['unexpected'] === 'number' && Array.isArray(suites),
    read: readPlaywright,
  },
  { framework: 'rspec', is: (document) => typeof document['summary_line'] === 'string', read: readRspec },
  {
    framework: 'ctrf',
    is: ({ results }) => isObject(results) && isObject(results['tool']) && isObject(results['summary']),
    read: readCtrf,
  },
  {
    framework: 'gtest',
    is: ({ tests, disabled, testsuites }) =>
      typeof tests === 'number' && typeof disabled === 'number' && Array.isArray(testsuites),
    read: readGtest,
  },
];

/** Counts the tests themselves and not the totals: some versions count to-dos as passed. */
function readJest(document: Fields, tally: Tally, at: number): void {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of objects(document['testResults'])) {
    const tests = objects(suite['assertionResults']);
    // Before version 1, Vitest reports a file that cannot be loaded as passed.
    const isBroken = suite['status'] === 'failed' || (document['success'] === false && text(suite['message']) !== '');
    if (tests.length === 0 && isBroken) {
      counts = addCounts(counts, { failed: 1 });
      tally.name('error', text(suite['name']), { error: text(suite['message']) });
    }
    const joint = 'numRuntimeErrorTestSuites' in document ? ' › ' : ' > ';
    for (const test of tests) {
      const titles = Array.isArray(test['ancestorTitles']) ? test['ancestorTitles'].map(String) : [];
      const messages = Array.isArray(test['failureMessages']) ? test['failureMessages'].map(String) : [];
      const status = statusOf(test['status']);
      counts = addCounts(counts, { [status]: 1 });
      tally.name(status, [...titles.filter(Boolean), text(test['title'])].join(joint), {
        durationMs: number(test['duration']),
        file: text(suite['name']),
        error: messages[0],
      });
    }
  }
  tally.add(counts, at);
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
      const more = { durationMs: number(test['duration']), file: text(test['file']), error };
      tally.name(status, text(test['fullTitle']), more);
    }
  }
  const { passes, failures, pending } = counts;
  tally.add({ passed: count(passes), failed: count(failures), skipped: count(pending) }, at);
}

function readPlaywright({ stats, suites, errors }: Fields, tally: Tally, at: number): void {
  const counts = isObject(stats) ? stats : {};
  const nameSpecs = (suite: Fields, path: readonly string[]): void => {
    for (const spec of objects(suite['specs'])) {
      const file = text(spec['file']);
      if (spec['ok'] === false) tally.name('failed', [...path, text(spec['title'])].join(' › '), { file });
    }
    for (const inner of objects(suite['suites'])) nameSpecs(inner, [...path, text(inner['title'])]);
  };
  for (const suite of objects(suites)) nameSpecs(suite, [text(suite['title'])]);
  // A file that cannot be loaded is not a test, but counts as a failure.
  const broken = objects(errors);
  for (const error of broken) tally.name('error', text(error['message']));
  tally.add(
    {
      passed: count(counts['expected']) + count(counts['flaky']),
      failed: count(counts['unexpected']) + broken.length,
      skipped: count(counts['skipped']),
    },
    at,
  );
}

function readRspec({ examples, summary }: Fields, tally: Tally, at: number): void {
  const counts = isObject(summary) ? summary : {};
  for (const test of objects(examples)) {
    const error = isObject(test['exception']) ? text(test['exception']['message']) : undefined;
    const seconds = number(test['run_time']);
    const durationMs = seconds === undefined ? undefined : seconds * 1_000;
    const more = { durationMs, file: text(test['file_path']), error };
    tally.name(statusOf(test['status']), text(test['full_description']), more);
  }
  const failures = count(counts['failure_count']);
  const failed = failures + count(counts['errors_outside_of_examples_count']);
  const skipped = count(counts['pending_count']);
  tally.add({ passed: Math.max(0, count(counts['example_count']) - failures - skipped), failed, skipped }, at);
}

function readCtrf({ results }: Fields, tally: Tally, at: number): void {
  const { summary, tests } = isObject(results) ? results : {};
  for (const test of objects(tests)) {
    const file = text(test['filePath']);
    const more = { durationMs: number(test['duration']), file, error: text(test['message']) };
    tally.name(statusOf(test['status']), text(test['name']), more);
  }
  const counts = isObject(summary) ? summary : {};
  const skipped = count(counts['skipped']) + count(counts['pending']) + count(counts['other']);
  tally.add({ passed: count(counts['passed']), failed: count(counts['failed']), skipped }, at);
}

function readGtest({ testsuites }: Fields, tally: Tally, at: number): void {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of objects(testsuites)) {
    for (const test of objects(suite['testsuite'])) {
      const [failure] = objects(test['failures']);
      const status = failure !== undefined ? 'failed' : test['result'] === 'COMPLETED' ? 'passed' : 'skipped';
      counts = addCounts(counts, { [status]: 1 });
      tally.name(status, `${text(test['classname'])}.${text(test['name'])}`, { error: text(failure?.['failure']) });
    }
  }
  tally.add(counts, at);
}

function statusOf(word: unknown): 'passed' | 'failed' | 'skipped' {
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

function parseList(source: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(source);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
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
