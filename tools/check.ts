import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runSteps } from './check/run-steps.ts';
import { checkSteps } from './check/steps.ts';
import { countTests } from './check/test-counts.ts';

/*
 * Every check of the project, two at a time: `npm test`.
 *   npm test -- --all         go on after a failing step (as in CI)
 *   npm test -- lint types    only these steps
 */
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const scratch = await mkdtemp(path.join(os.tmpdir(), 'ralphd-check-'));
try {
  const report = path.join(scratch, 'tests.json');
  const steps = checkSteps(report).filter((step) => wanted.length === 0 || wanted.includes(step.name));
  const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`No such step: ${unknown.join(', ')}.`);

  const outcome = await runSteps(steps, {
    root: path.dirname(import.meta.dirname),
    goOn: flags.includes('--all') || Boolean(process.env['CI']),
  });
  if (outcome.failed.length > 0) {
    const left = outcome.notRun.length === 0 ? '' : `; not run: ${outcome.notRun.join(', ')}`;
    console.log(`\nfailed: ${outcome.failed.join(', ')}${left}`);
    process.exitCode = 1;
  }
  const counts = await countTests(report);
  if (counts !== undefined) {
    if (counts.failed > 0) process.exitCode = 1;
    for (const name of counts.skipped) console.log(`skipped: ${name}`);
    for (const test of counts.unsteady) console.log(`passed only at the second try, mend it: ${test}`);
    console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
