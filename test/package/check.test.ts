import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runSteps } from '../../tools/check/run-steps.ts';
import type { Step } from '../../tools/check/steps.ts';
import { countTests } from '../../tools/check/test-counts.ts';

test('a failing step shows its whole output, and no further step is started', async () => {
  const shown = captureConsole();
  const outcome = await runSteps([step('first', 'console.log("why"); process.exit(3)'), waiting('second')], {
    root: process.cwd(),
    goOn: false,
  });
  expect(outcome).toEqual({ failed: ['first'], notRun: ['second'] });
  expect(shown()).toMatch(/^failed {2}first +\d+\.\d s\nwhy\n/);
});

test('with --all every step runs, and every failure is counted', async () => {
  captureConsole();
  const steps = [step('first', 'process.exit(1)'), step('second', ''), step('third', 'process.exit(1)')];
  const { failed, notRun } = await runSteps(steps, { root: process.cwd(), goOn: true });
  expect({ failed: failed.toSorted(), notRun }).toEqual({ failed: ['first', 'third'], notRun: [] });
});

test('at most two steps run at once, and one that needs the machine runs alone and last', async () => {
  captureConsole();
  const folder = await temporaryFolder();
  const log = path.join(folder, 'log');
  await writeFile(log, '');
  const noting = (name: string) =>
    step(
      name,
      `const fs = require('fs'); fs.appendFileSync(process.argv[1], '+'); setTimeout(() => fs.appendFileSync(process.argv[1], '-'), 50)`,
      log,
    );
  const steps = [{ ...noting('alone'), alone: true }, noting('one'), noting('two'), noting('three'), noting('four')];
  await runSteps(steps, { root: process.cwd(), goOn: false });

  const history = await readFile(log, 'utf8');
  expect(history).toHaveLength(10);
  expect(history).not.toContain('+++');
  expect(history.endsWith('-+-')).toBe(true);
});

test('a command that does not exist fails its step', async () => {
  captureConsole();
  const missing: Step = { name: 'missing', commands: [['no-such-program-anywhere']] };
  expect(await runSteps([missing], { root: process.cwd(), goOn: false })).toEqual({ failed: ['missing'], notRun: [] });
});

test('tests are counted from the report, skipped and unsteady ones by name, and a file that could not be loaded counts as failed', async () => {
  const report = path.join(await temporaryFolder(), 'report.json');
  const results = (...statuses: string[]) =>
    statuses.map((status) => ({
      status,
      fullName: ` is ${status}`,
      failureMessages: status === 'failed' ? ['why'] : [],
    }));
  const unsteady = { status: 'passed', fullName: ' failed once', failureMessages: ['Error: too early'] };
  await writeFile(
    report,
    JSON.stringify({
      testResults: [
        { status: 'passed', assertionResults: results('passed', 'passed', 'skipped', 'todo') },
        { status: 'failed', assertionResults: results('passed', 'failed') },
        { status: 'failed', assertionResults: [] },
        { status: 'passed', assertionResults: [unsteady] },
      ],
    }),
  );
  expect(await countTests(report)).toEqual({
    passed: 4,
    failed: 2,
    skipped: ['is skipped', 'is todo'],
    unsteady: ['failed once\nError: too early'],
  });
  expect(await countTests(`${report}.missing`)).toBeUndefined();
});

function step(name: string, program: string, ...args: readonly string[]): Step {
  return { name, commands: [['node', '-e', program, ...args]] };
}

function waiting(name: string): Step {
  return { ...step(name, ''), after: ['first'] };
}

function captureConsole(): () => string {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return () => lines.join('\n');
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-check-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
