import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { makeMemoryFolder } from './check/memory-folder.ts';
import { runSteps } from './check/run-steps.ts';
import { checkSteps } from './check/steps.ts';
import { countTests } from './check/test-counts.ts';
import { durationsOf, keepDurations, readReport } from './check/test-report.ts';

/*
 * Every check of the project, two at a time: `npm test`.
 *   npm test -- --all         continue after a failing step (as in CI)
 *   npm test -- lint types    only these steps
 *   npm test -- --record      also record the duration of each test file; the longest start first
 */
const root = path.dirname(import.meta.dirname);
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const scratch = (await makeMemoryFolder()) ?? (await mkdtemp(path.join(os.tmpdir(), 'ralphd-check-')));
try {
  const reportFile = path.join(scratch, 'tests.json');
  const steps = checkSteps(reportFile).filter((step) => wanted.length === 0 || wanted.includes(step.name));
  const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`No such step: ${unknown.join(', ')}.`);

  const outcome = await runSteps(steps, {
    root,
    temporaryFolder: scratch,
    goOn: flags.includes('--all') || Boolean(process.env['CI']),
  });
  if (outcome.failed.length > 0) {
    const left = outcome.notRun.length === 0 ? '' : `; not run: ${outcome.notRun.join(', ')}`;
    console.log(`\nfailed: ${outcome.failed.join(', ')}${left}`);
    process.exitCode = 1;
  }
  const report = await readReport(reportFile);
  if (report !== undefined) {
    const durations = durationsOf(report, root);
    if (flags.includes('--record')) await keepDurations(durations, root);
    const counts = countTests(report);
    if (counts.failed > 0) process.exitCode = 1;
    for (const name of counts.skipped) console.log(`skipped: ${name}`);
    for (const test of counts.unsteady) console.log(`passed only on the second try, fix it: ${test}`);
    console.log('slowest test files:');
    for (const [file, seconds] of Object.entries(durations).slice(0, 10)) {
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
    }
    console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
