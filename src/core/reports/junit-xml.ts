import type { TestStatus } from './report.ts';
import { createTally, type LineReader } from './tally.ts';
import { createTagScanner } from './xml-tags.ts';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** JUnit XML, the dialect of a hundred writers: each test case is counted, attributes of suites are not believed. */
export function createJunitReader(): LineReader {
  const tally = createTally();
  let isOpen = false;
  const scan = createTagScanner();
  let current: { name: string; status: TestStatus; durationMs: number | undefined; error?: string } | undefined;

  return {
    read: (line, at) => {
      if (!isOpen && !line.includes('<testsuite')) return;
      scan(line, (tag) => take(tag, at));
    },
    finish: () => tally.finish('junit'),
  };

  function take(text: string, at: number): void {
    const name = /^\/?[\w:.-]+/.exec(text)?.[0] ?? '';
    if (name === 'testsuites' || name === 'testsuite') {
      isOpen = true;
      if (text.endsWith('/')) tally.add({}, at);
    } else if (name === '/testsuites' || name === '/testsuite') tally.add({}, at);
    else if (name === '/testcase') settle(at);
    else if (name === 'testcase') begin(text, at);
    else if (current !== undefined) judge(name, text);
  }

  function begin(text: string, at: number): void {
    const attributes = attributesOf(text);
    const [name = 'unnamed', place = ''] = [attributes.get('name'), attributes.get('classname')];
    const seconds = Number((attributes.get('time') ?? '').replaceAll(',', '') || Number.NaN);
    const notRun = attributes.get('status') === 'notrun' || attributes.get('result') === 'suppressed';
    current = {
      name: place === '' || name.startsWith(place) ? name : `${place} > ${name}`,
      status: notRun ? 'skipped' : 'passed',
      durationMs: Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined,
    };
    if (text.endsWith('/')) settle(at);
  }

  function judge(name: string, text: string): void {
    if (current === undefined || (name !== 'failure' && name !== 'error' && name !== 'skipped')) return;
    if (current.status === 'failed' || current.status === 'error') return;
    current.status = name === 'failure' ? 'failed' : name;
    const message = attributesOf(text).get('message');
    if (message !== undefined) current.error = message;
  }

  function settle(at: number): void {
    if (current === undefined) return;
    const { name, status, durationMs, error } = current;
    tally.add({ [status === 'error' ? 'failed' : status]: 1 }, at);
    tally.name(status, name, { durationMs, error: status === 'skipped' ? undefined : error });
    current = undefined;
  }
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const match of text.matchAll(/\s([\w:.-]{1,100})\s?=\s?(?:"([^"]*)"|'([^']*)')/g)) {
    attributes.set(match[1] ?? '', unescape(match[2] ?? match[3] ?? ''));
  }
  return attributes;
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return entities[name] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
