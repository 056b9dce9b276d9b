import type { ShownLoop } from '../loop/loop.ts';
import { summariseTests, type TestRecord } from './test-summary.ts';

const mostNamed = 2;

/** What stands out among the tests: those that just broke, those that fail for long, those that can't be believed. */
export function testEvidence(loop: ShownLoop): readonly string[] {
  const summary = summariseTests(loop);
  if (summary === undefined) return [];
  const { broken, stubborn, flaky } = summary;
  return [
    ...few(broken.filter((name) => !flaky.includes(name)).map((name) => `broken just now: ${name}`)),
    ...few(stubborn.map(stubbornText)),
    ...flakyEvidence(flaky),
  ];
}

/** Tests that can't be believed, whatever they say now. */
export function flakyEvidence(flaky: readonly string[]): readonly string[] {
  return few(flaky.map((name) => `flaky, so that it proves nothing: ${name}`));
}

/** A test that keeps failing, with what it said last. */
export function stubbornText({ name, failStreak, lastError }: TestRecord): string {
  const why = lastError === undefined ? '' : ` (${firstLine(lastError)})`;
  return `failed ${failStreak} times in a row: ${name}${why}`;
}

function few(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostNamed;
  const shown = lines.slice(0, mostNamed);
  return more <= 0 ? shown : shown.map((line, index) => (index < mostNamed - 1 ? line : `${line}; and ${more} more`));
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0]?.trim() ?? '';
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
