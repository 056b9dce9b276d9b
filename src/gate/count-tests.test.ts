import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readTestReport } from '../core/index.ts';
import { countTests } from './count-tests.ts';

function junit(cases: readonly string[]) {
  const report = readTestReport(`<testsuite>${cases.join('')}</testsuite>\n`);
  if (report === undefined) throw new Error('no report');
  return report;
}

const failing = (name: string, more = '') =>
  `<testcase name="${name}"${more}><failure message="why ${name}"/></testcase>`;

test('B044: a fact lists failing tests with file and error, with paths relative to the folder of the checks', () => {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'ralphd-count-'));
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  onTestFinished(() => [link, folder].forEach((place) => rmSync(place, { recursive: true, force: true })));
  const report = junit([failing('divides', ` file="${folder}/a.js"`), failing(`${link}/b.js`)]);
  expect(countTests([report], link)).toEqual({
    framework: 'junit',
    total: 2,
    passed: 0,
    failed: 2,
    skipped: 0,
    failing: ['divides', 'b.js'],
    passing: [],
    failures: [
      { name: 'divides', file: 'a.js', error: 'why divides' },
      { name: 'b.js', error: `why ${link}/b.js` },
    ],
  });
});

test('B046: a fact about tests is bounded: five hundred names, fifty errors, four hundred characters each', () => {
  const reports = [0, 1].map((half) =>
    junit(Array.from({ length: 400 }, (_, index) => failing(`test ${half} ${index} ${'x'.repeat(280)}`, ' file="a"'))),
  );
  const { failing: names, failures = [], failed } = countTests(reports, '/nowhere');
  expect([names.length, failed, failures.length]).toEqual([500, 800, 500]);
  const errors = failures.flatMap(({ error }) => error ?? []);
  expect(errors).toHaveLength(50);
  expect(Math.max(...errors.map(({ length }) => length))).toBeLessThanOrEqual(400);
});
