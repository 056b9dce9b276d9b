import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { failingTests, readTestReport } from '../../src/core/index.ts';
import { expectations } from './expectations.ts';

const folder = import.meta.dirname;
const names = globSync('*/*.txt', { cwd: folder }).map((name) => name.replace(/\.txt$/, ''));
const textOf = (name: string) => readFileSync(path.join(folder, `${name}.txt`), 'utf8');

test('every recording has its expectation, and every expectation its recording', () => {
  expect(names.toSorted()).toEqual(Object.keys(expectations).toSorted());
});

/** What a text came to, in the form of the expectations. */
function outcomeOf(text: string) {
  const report = readTestReport(text);
  if (report === undefined) return null;
  expect(report.total).toBe(report.passed + report.failed + report.skipped);
  return { ...report, failing: failingTests(report).toSorted() };
}

test.each(Object.entries(expectations))('A087, A100, B047: %s is read right', (name, expected) => {
  const outcome = outcomeOf(textOf(name));
  if (expected === null) {
    expect(outcome).toBeNull();
    return;
  }
  const [framework, passed, failed, skipped, failing = []] = expected;
  const known = outcome && failing.length === 0 ? { ...outcome, failing: [] } : outcome;
  expect(known).toMatchObject({ framework, passed, failed, skipped, failing: failing.toSorted() });
});

const typical = [
  'jest/red vitest/red mocha/red jasmine/red node/red-spec bun/red deno/red pytest/red unittest/red rspec/red',
  'minitest/red phpunit/red prove/red go/red-verbose cargo/red gtest/red ctest/red exunit/red maven/red',
  'pytest/red-junit jest/red-json bats/red-pretty written/swift written/dotnet-normal',
].flatMap((line) => line.split(' '));

test.each(typical)('A087: what another runner printed before %s is not counted', (name) => {
  const [framework, passed, failed, skipped] = expectations[name] ?? [];
  for (const other of typical.filter((each) => expectations[each]?.[0] !== framework)) {
    const report = readTestReport(`${textOf(other)}\n${textOf(name)}`);
    expect({ other, ...report }).toMatchObject({ other, framework, passed, failed, skipped });
  }
});
