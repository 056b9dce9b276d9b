import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { GateTask } from '../core/index.ts';
import { endByMarker, findByMarker } from '../process/index.ts';
import { type CheckCommand, type CheckProgress, configSchema, type LoopConfigInput } from '../protocol/index.ts';
import { takeGuards } from './guards/guards.ts';
import { createGate } from './run-gate.ts';

function prepare(config: LoopConfigInput = {}) {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd gate '));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const env = { PATH: '/usr/bin:/bin', GREETING: 'hello' };
  const uuid = randomUUID();
  const gate = createGate({
    config: configSchema.parse(config),
    workingDirectory,
    env,
    uuid,
    loopId: 'ralph-x-00000001',
  });
  const idle = { signal: new AbortController().signal, kill: new AbortController().signal };
  const run = async (checks: readonly CheckCommand[], signals = idle, more: Partial<GateTask> = {}) =>
    await gate.run({ checks, guards: [], purpose: 'gate', isRepeat: false, ...more }, signals);
  return { workingDirectory, idle, run, uuid, gate };
}

test.each<[string, CheckCommand, Record<string, unknown>]>([
  ['exits 0', 'echo fine', { verdict: 'passed', exitCode: 0, output: 'fine\n' }],
  [
    'exits 0 without a shell',
    ['echo', 'a b', '$HOME'],
    { verdict: 'passed', command: 'echo a b $HOME', output: 'a b $HOME\n' },
  ],
  ['fails', 'echo broken >&2; exit 3', { verdict: 'failed', exitCode: 3, output: 'broken\n' }],
  ['is not found by the shell', 'no-such-check --all', { verdict: 'not_found', exitCode: 127 }],
  ['is not found', ['no-such-check', '--all'], { verdict: 'not_found', command: 'no-such-check --all' }],
  ['exits 127 by itself without a shell', ['sh', '-c', 'exit 127'], { verdict: 'failed', exitCode: 127 }],
  ['is killed', 'kill -9 $$', { verdict: 'failed' }],
])('a check that %s has its own verdict', async (_what, command, expected) => {
  const { run } = prepare();
  expect(await run([command])).toMatchObject({ verdict: expected['verdict'], checks: [expected] });
});

test('R6: make has run no test when it considers "test" up to date; other targets may be up to date', async () => {
  const { run, workingDirectory } = prepare();
  writeFileSync(path.join(workingDirectory, 'Makefile'), 'test:\n\tfalse\nlib:\n\tfalse\n');
  writeFileSync(path.join(workingDirectory, 'test'), '');
  writeFileSync(path.join(workingDirectory, 'lib'), '');
  const gate = await run(['make test', 'make lib']);
  expect(gate).toMatchObject({ verdict: 'unverifiable', checks: [{ verdict: 'unverifiable' }, { verdict: 'passed' }] });
  expect(gate?.checks[0]?.output).toContain('no test ran');
});

test('a check that takes too long has timed out, and what it printed is kept', async () => {
  const { run } = prepare({ verifyTimeout: '3s' });
  expect(await run(['echo begun; sleep 1000'])).toMatchObject({
    verdict: 'timed_out',
    checks: [{ verdict: 'timed_out', output: 'begun\n' }],
  });
});

test('every check runs even after a failure, in the working directory and with the caller’s environment', async () => {
  const { run, workingDirectory } = prepare();
  const gate = await run(['exit 1', 'echo "$GREETING" > said', 'exit 2']);
  expect(gate).toMatchObject({ verdict: 'failed', checks: [{ exitCode: 1 }, { verdict: 'passed' }, { exitCode: 2 }] });
  expect(readFileSync(path.join(workingDirectory, 'said'), 'utf8')).toBe('hello\n');
});

test('no check at all proves nothing', async () => {
  expect(await prepare().run([])).toMatchObject({ verdict: 'unverifiable', checks: [] });
});

test('a long output is cut in its middle', async () => {
  const gate = await prepare().run(['echo first; yes | head -c 1000000; echo last']);
  const output = gate?.checks[0]?.output ?? '';
  expect(output.length).toBeLessThanOrEqual(4_000);
  expect(output.startsWith('first\n')).toBe(true);
  expect(output.endsWith('last\n')).toBe(true);
});

test('an interrupted gate gives no result, before and while it runs', async () => {
  const { run, idle } = prepare();
  expect(await run(['true'], { ...idle, signal: AbortSignal.abort() })).toBeUndefined();
  const stop = new AbortController();
  const running = run(['true', 'sleep 1000'], { ...idle, signal: stop.signal });
  stop.abort();
  expect(await running).toBeUndefined();
});

const tap = (...points: readonly string[]) =>
  `printf '%s\\n' 'TAP version 13' ${points.map((point) => `'${point}'`).join(' ')} '1..${points.length}'`;

test('B045, B046: the counts of all checks are summed, and the names of failing and passing tests are kept', async () => {
  const gate = await prepare().run([
    `${tap('ok 1 - adds', 'not ok 2 - divides', 'ok 3 - later # SKIP')}; exit 1`,
    'echo nothing to do with tests',
    "printf 'running 1 test\\ntest joins ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n'",
  ]);
  expect(gate?.tests).toEqual({
    framework: 'tap, cargo',
    total: 4,
    passed: 2,
    failed: 1,
    skipped: 1,
    failing: ['divides'],
    passing: ['adds', 'joins'],
  });
});

test('A087: a failing exit code always counts, and an exit code of 0 only where no failing test was printed', async () => {
  const gate = await prepare().run([tap('ok 1 - adds', 'not ok 2 - divides'), `${tap('ok 1 - adds')}; exit 1`]);
  expect(gate).toMatchObject({ verdict: 'contradicted', checks: [{ exitCode: 0 }, { verdict: 'failed' }] });
  expect(gate?.checks[0]?.output).toContain('It exits with 0, but 1 of 2 tests failed (tap). ');
  expect(gate?.checks[0]?.output).toContain('turn counting off with "iteration.parseTests: false".\n- divides\n');
  const uncounted = await prepare({ iteration: { parseTests: false } }).run([tap('not ok 1 - divides')]);
  expect(uncounted).toMatchObject({ verdict: 'passed' });
});

test.each([
  ['no test', tap(), 'no test ran (tap)'],
  ['only skipped tests', tap('ok 1 - a # SKIP', 'ok 2 - b # SKIP'), 'no test ran: 2 skipped (tap)'],
])('a check that exits 0 but ran %s proves nothing, and says so', async (_what, command, note) => {
  const gate = await prepare().run([command]);
  expect(gate).toMatchObject({ verdict: 'unverifiable', checks: [{ verdict: 'unverifiable', exitCode: 0 }] });
  expect(gate?.checks[0]?.output.endsWith(`${note}\n`)).toBe(true);
});

test('the recorded output contains the names of failing tests, even from the part that was cut', async () => {
  const noise = 'yes "# noise" | head -c 200000';
  const command = `echo 'TAP version 13'; ${noise}; echo 'not ok 1 - divides'; ${noise}; echo '1..1'; exit 1`;
  const gate = await prepare().run([command]);
  const output = gate?.checks[0]?.output ?? '';
  expect(output.length).toBeLessThanOrEqual(4_000);
  expect(output.endsWith('1 of 1 tests failed (tap)\n- divides\n')).toBe(true);
});

test('A076: with iteration.parseTests off, no test counts are read from the output', async () => {
  const gate = await prepare({ iteration: { parseTests: false } }).run([tap()]);
  expect(gate).toMatchObject({ verdict: 'passed' });
  expect(gate).not.toHaveProperty('tests');
});

function guardCheck(workingDirectory: string) {
  writeFileSync(path.join(workingDirectory, 'check.sh'), 'exit 1\n');
  const files = [{ folder: '', names: ['check.sh'], onlyFirst: false }];
  const plan = { files, scripts: [], targets: [], settings: [], programs: [] };
  return takeGuards(plan, { folder: workingDirectory, PATH: '', nestedScripts: () => [] }).guards;
}

test('R6: a gate with a changed file is not run, and names that file', async () => {
  const { run, workingDirectory, idle } = prepare();
  const guards = guardCheck(workingDirectory);
  expect(await run(['sh check.sh'], idle, { guards })).toMatchObject({ verdict: 'failed' });
  writeFileSync(path.join(workingDirectory, 'check.sh'), 'touch ran\n');
  const gate = await run(['sh check.sh', 'touch ran'], idle, { guards });
  expect(gate).toMatchObject({
    verdict: 'unverifiable',
    tampered: ['check.sh'],
    checks: [{ verdict: 'unverifiable' }, { command: 'touch ran', verdict: 'unverifiable' }],
  });
  expect(gate?.checks[0]?.output).toContain('check.sh');
  expect(existsSync(path.join(workingDirectory, 'ran'))).toBe(false);
});

test('R6: a check cannot change itself or another check and still pass', async () => {
  const { run, workingDirectory, idle } = prepare();
  const guards = guardCheck(workingDirectory);
  const before = await run(['echo true > check.sh', 'sh check.sh'], idle, { guards });
  expect(before).toMatchObject({ tampered: ['check.sh'], checks: [{ verdict: 'unverifiable' }, { durationMs: 0 }] });
  const last = await run(['true'], idle, { guards: guardCheck(workingDirectory) });
  expect(last).toMatchObject({ verdict: 'passed' });
  const after = await run(['echo true > check.sh'], idle, { guards: guardCheck(workingDirectory) });
  expect(after).toMatchObject({ verdict: 'unverifiable', tampered: ['check.sh'] });
});

test('a baseline runs every check and only lists the guarded files that the checks change themselves', async () => {
  const { run, workingDirectory, idle } = prepare();
  const guards = guardCheck(workingDirectory);
  const gate = await run(['echo true > check.sh', 'sh check.sh'], idle, { guards, purpose: 'baseline' });
  expect(gate).toMatchObject({ verdict: 'passed', tampered: ['check.sh'] });
});

test('checks that an earlier owner left running are ended before the next run', async () => {
  const { run, idle, uuid, workingDirectory } = prepare();
  const marker = `${uuid}:gate`;
  onTestFinished(async () => void (await endByMarker(marker)));
  const env = { PATH: '/usr/bin:/bin' };
  // A process of its own: one that ralphd still watches would be swept up a second time when it ends.
  const left = spawn('sleep', ['1000'], { cwd: workingDirectory, env: { ...env, RALPHD_ATTEMPT: marker } });
  const ended = once(left, 'exit');
  await expect.poll(() => findByMarker(marker).length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await run(['true'], idle, { isRepeat: true })).toMatchObject({ verdict: 'passed' });
  expect(findByMarker(marker)).toEqual([]);
  await ended;
});

test('R6: ignored files that the agent changed are named in one warning', async () => {
  const { run, idle, workingDirectory } = prepare();
  const write = (name: string, text: string) => writeFileSync(path.join(workingDirectory, name), text);
  write('.gitignore', '.env\n*.out\ndist/\n');
  write('.env', 'MODE=real\n');
  const plan = { files: [], scripts: [], targets: [], settings: [], programs: [], ignored: true };
  const place = { folder: workingDirectory, PATH: '/usr/bin:/bin', nestedScripts: () => [] };
  const { guards } = takeGuards(plan, place);
  const check = 'echo ran >> check.out';
  const baseline = await run([check], idle, { guards, purpose: 'baseline' });
  const known = [...guards.filter(({ kind }) => kind !== 'ignored'), ...(baseline?.renewed ?? [])];
  const first = await run([check], idle, { guards: known });
  expect(first).not.toHaveProperty('warnings');
  rmSync(path.join(workingDirectory, 'check.out'));
  write('.env', 'MODE=fake\n');
  mkdirSync(path.join(workingDirectory, 'dist'));
  write('dist/a.js', '');
  const gate = await run([check], idle, { guards: known });
  expect(gate).toMatchObject({
    verdict: 'passed',
    warnings: ['Ignored files that the checks can read have changed since the loop began: .env, dist.'],
  });
});

test('each check is reported as it starts and as it ends', async () => {
  const { gate, idle } = prepare();
  const reported: CheckProgress[] = [];
  const task = { checks: ['true', 'exit 3'], guards: [], purpose: 'gate', isRepeat: false } as const;
  await gate.run(task, idle, (check) => void reported.push(check));
  expect(reported).toEqual([
    { index: 1, count: 2, command: 'true' },
    { index: 1, count: 2, command: 'true', verdict: 'passed' },
    { index: 2, count: 2, command: 'exit 3' },
    { index: 2, count: 2, command: 'exit 3', verdict: 'failed' },
  ]);
});
