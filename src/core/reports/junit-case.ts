import type { TestStatus } from './report.ts';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** A test case, as far as it has been read. */
export interface JunitCase {
  readonly name: string;
  readonly durationMs: number | undefined;
  readonly file: string | undefined;
  status: TestStatus;
  error?: string;
}

/** The test case that an opening tag describes. */
export function openCase(tag: string): JunitCase {
  const attributes = attributesOf(tag);
  const [name = 'unnamed', place = ''] = [attributes.get('name'), attributes.get('classname')];
  const seconds = Number((attributes.get('time') ?? '').replaceAll(',', '') || Number.NaN);
  const notRun = attributes.get('status') === 'notrun' || attributes.get('result') === 'suppressed';
  return {
    name: place === '' || name.startsWith(place) ? name : `${place} > ${name}`,
    file: attributes.get('file'),
    status: notRun ? 'skipped' : 'passed',
    durationMs: Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined,
  };
}

/** Takes a tag within a test case into account. */
export function judgeCase(open: JunitCase & { isTodo?: boolean }, name: string, tag: string): void {
  if (name !== 'failure' && name !== 'error' && name !== 'skipped') return;
  const attributes = attributesOf(tag);
  // node:test writes a to-do as skipped and, when it fails, also as failed.
  if (name === 'skipped' && attributes.get('type') === 'todo') {
    open.isTodo = true;
    open.status = 'skipped';
  }
  if (open.isTodo || open.status === 'failed' || open.status === 'error') return;
  open.status = name === 'failure' ? 'failed' : name;
  const message = attributes.get('message');
  if (message !== undefined) open.error = message;
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
