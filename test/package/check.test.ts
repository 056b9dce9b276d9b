import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { longestFirst } from '../../tools/check/longest-first.ts';
import { isSuitable, makeMemoryFolder } from '../../tools/check/memory-folder.ts';
import { runSteps } from '../../tools/check/run-steps.ts';
import type { Step } from '../../tools/check/steps.ts';
import { countTests } from '../../tools/check/test-counts.ts';
import { durationsOf, readReport } from '../../tools/check/test-report.ts';

const here = { root: process.cwd(), temporaryFolder: os.tmpdir() };

test('a failing step shows its whole output, and no further step is started', async () => {
  const shown = captureConsole();
  const outcome = await runSteps([step('first', 'console.log("why"); process.exit(3)'), waiting('second')], {
    ...here,
    goOn: false,
  });
  expect(outcome).toEqual({ failed: ['first'], notRun: ['second'] });
  expect(shown()).toMatch(/^failed {2}first +\d+\.\d s\nwhy\n/);
});

test('with --all every step runs, and every failure is counted', async () => {
  captureConsole();
  const steps = [step('first', 'process.exit(1)'), step('second', ''), step('third', 'process.exit(1)')];
  const { failed, notRun } = await runSteps(steps, { ...here, goOn: true });
  expect({ failed: failed.toSorted(), notRun }).toEqual({ failed: ['first', 'third'], notRun: [] });
});

test('at most two steps run at once, and one that needs others starts after them', async () => {
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
  const last = { ...noting('last'), after: ['one', 'two', 'three', 'four'] };
  const steps = [last, noting('one'), noting('two'), noting('three'), noting('four')];
  await runSteps(steps, { ...here, goOn: false });

  const history = await readFile(log, 'utf8');
  expect(history).toHaveLength(10);
  expect(history).not.toContain('+++');
  expect(history.endsWith('-+-')).toBe(true);
});

test('a step has its temporary files where the check says', async () => {
  const shown = captureConsole();
  const tells = step('tells', 'console.log(require("os").tmpdir()); process.exit(1)');
  await runSteps([tells], { ...here, temporaryFolder: '/somewhere', goOn: false });
  expect(shown()).toContain('/somewhere\n');
});

test('temporary files are in memory only where there is room for them and programs may run', async () => {
  const gigabyte = 1024 ** 3;
  const mounts = (options: string, type = 'tmpfs') =>
    `/dev/vda / ext4 rw 0 0\n${type} /dev/shm ${type} ${options} 0 0\n`;
  const disk = { place: '/dev/shm', mounts: mounts('rw,nosuid,nodev'), freeBytes: 8 * gigabyte };
  expect(isSuitable(disk)).toBe(true);
  expect(isSuitable({ ...disk, freeBytes: gigabyte / 16 })).toBe(false);
  expect(isSuitable({ ...disk, mounts: mounts('rw,nosuid,nodev,noexec') })).toBe(false);
  expect(isSuitable({ ...disk, mounts: mounts('rw', 'ext4') })).toBe(false);
  expect(isSuitable({ ...disk, place: '/dev/other' })).toBe(false);
  expect(await makeMemoryFolder('/no/such/place')).toBeUndefined();
});

test('a command that does not exist fails its step', async () => {
  captureConsole();
  const missing: Step = { name: 'missing', commands: [['no-such-program-anywhere']] };
  expect(await runSteps([missing], { ...here, goOn: false })).toEqual({ failed: ['missing'], notRun: [] });
});

test('tests are counted from the report, skipped and unsteady ones by name, and a file that could not be loaded counts as failed', async () => {
  const results = (...statuses: string[]) =>
    statuses.map((status) => ({
      status,
      fullName: ` is ${status}`,
      failureMessages: status === 'failed' ? ['why'] : [],
    }));
  const unsteady = { status: 'passed', fullName: ' failed once', failureMessages: ['Error: too early'] };
  const report = await reportOf([
    { status: 'passed', assertionResults: results('passed', 'passed', 'skipped', 'todo') },
    { status: 'failed', assertionResults: results('passed', 'failed') },
    { status: 'failed', assertionResults: [] },
    { status: 'passed', assertionResults: [unsteady] },
  ]);
  expect(report && countTests(report)).toEqual({
    passed: 4,
    failed: 2,
    skipped: ['is skipped', 'is todo'],
    unsteady: ['failed once\nError: too early'],
  });
  expect(await readReport('/no/such/report.json')).toBeUndefined();
});

test('the durations of test files are taken from the report, the longest first', async () => {
  const report = await reportOf([
    { name: '/house/src/a.test.ts', startTime: 1000, endTime: 1500 },
    { name: '/house/test/b.test.ts', startTime: 2000, endTime: 9000.5 },
  ]);
  expect(Object.entries((report && durationsOf(report, '/house')) ?? {})).toEqual([
    ['test/b.test.ts', 7.0005],
    ['src/a.test.ts', 0.5],
  ]);
});

test('the longest files of each project start first, and the files of a project follow each other', () => {
  const queued = (file: string, project: string) => ({ file, project });
  const entries = [
    queued('src/b.test.ts', 'rules'),
    queued('test/e2e/short.test.ts', 'programs'),
    queued('test/short.test.ts', 'long'),
    queued('test/e2e/long.test.ts', 'programs'),
    queued('test/long.test.ts', 'long'),
    queued('src/a.test.ts', 'rules'),
  ];
  const durations = { 'test/long.test.ts': 9, 'test/short.test.ts': 2, 'test/e2e/long.test.ts': 30 };
  expect(longestFirst(entries, ['long', 'programs', 'rules'], durations).map(({ file }) => file)).toEqual([
    'test/long.test.ts',
    'test/short.test.ts',
    'test/e2e/long.test.ts',
    'test/e2e/short.test.ts',
    'src/a.test.ts',
    'src/b.test.ts',
  ]);
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

/** What the check reads of a report that vitest wrote. */
async function reportOf(testResults: readonly object[]) {
  const file = path.join(await temporaryFolder(), 'report.json');
  await writeFile(file, JSON.stringify({ testResults }));
  return await readReport(file);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-check-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
