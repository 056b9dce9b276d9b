import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endByMarker, findByMarker } from './reap.ts';
import { type RunOptions, runCapture, runToEnd } from './run-to-end.ts';

const fixtures = path.join(import.meta.dirname, 'fixtures');

function options(command: RunOptions['command'], more: Partial<RunOptions> = {}): RunOptions {
  return { command, cwd: tmpdir(), env: { PATH: '/usr/bin:/bin' }, ...more };
}

test('a text is a shell line, a list runs without a shell', async () => {
  const asShell = await runToEnd(options('echo "$((1 + 1))" && exit 4'));
  expect(asShell).toMatchObject({ ending: { kind: 'exited', code: 4 }, output: '2\n', truncatedBytes: 0 });
  const asList = await runToEnd(options(['echo', '$HOME; rm']));
  expect(asList).toMatchObject({ ending: { kind: 'exited', code: 0 }, output: '$HOME; rm\n' });
});

test('output and error output are returned together', async () => {
  const { output } = await runToEnd(options([path.join(fixtures, 'failing-agent.sh')]));
  expect(output.split('\n').sort()).toEqual(['', 'to stderr', 'to stdout']);
});

test('20 MB of output are read in bounded memory; beginning and end are kept', async () => {
  const { ending, output, truncatedBytes } = await runToEnd(options([path.join(fixtures, 'chatty-agent.sh')]));
  expect(ending).toEqual({ kind: 'exited', code: 0 });
  expect(Buffer.byteLength(output)).toBeLessThan(66_000);
  expect(output).toMatch(/^first\nx+\n\[… \d+ bytes left out …\]\nx+\nlast\n$/);
  const marker = `\n[… ${truncatedBytes} bytes left out …]\n`;
  expect(Buffer.byteLength(output) - Buffer.byteLength(marker) + truncatedBytes).toBe(20_000_012);
});

test('input arrives whole and ends; a command that ignores it does not fail', async () => {
  const input = 'x'.repeat(300_000);
  expect((await runToEnd(options('wc -c', { input }))).output.trim()).toBe('300000');
  expect((await runToEnd(options('exec <&-; exit 0', { input }))).ending).toEqual({ kind: 'exited', code: 0 });
  expect((await runToEnd(options('cat; echo ended'))).output).toBe('ended\n');
});

test('a command that passes its time limit is ended with everything it started', async () => {
  const marker = randomUUID();
  const stubborn = [path.join(fixtures, 'stubborn-agent.sh')];
  const run = await runToEnd(options(stubborn, { marker, timeoutMs: 100, graceMs: 50 }));
  expect(run).toMatchObject({ ending: { kind: 'stopped', by: 'timeout' }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

test('R6: the digest covers everything that was printed, even where only a window of it is kept', async () => {
  const { output, outputDigest } = await runToEnd(options('seq 1 50000', { maxOutputBytes: 1_000 }));
  const whole = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join('');
  expect(output).toContain('bytes left out');
  expect(outputDigest).toBe(createHash('sha256').update(whole).digest('hex'));
});

test('a background child that keeps the output open does not delay the result', async () => {
  const marker = randomUUID();
  const run = await runToEnd(options([path.join(fixtures, 'untidy-agent.sh')], { marker }));
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, output: 'done\n', survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

test('a child that left its group is found among the processes that started since', async () => {
  const marker = randomUUID();
  onTestFinished(async () => void (await endByMarker(marker)));
  // It ends when the child has reported from its own session.
  const line = "{ setsid sh -c 'echo free; exec sleep 600 >&- 2>&-' & } | head -n 1";
  const run = await runCapture(options(line, { marker }));
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, survivors: [] });
  expect(run.stdout.toString()).toBe('free\n');
  expect(findByMarker(marker)).toEqual([]);
});

test('a command can be stopped by request', async () => {
  const stop = new AbortController();
  const marker = randomUUID();
  const running = runToEnd(options('sleep 600', { marker, signal: stop.signal }));
  await expect.poll(() => findByMarker(marker).length).toBeGreaterThan(0);
  stop.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  const late = await runToEnd(options('echo started', { signal: stop.signal }));
  expect(late).toMatchObject({ ending: { kind: 'stopped', by: 'request', forced: false }, output: '' });
});

test('a missing program is a result', async () => {
  const run = await runToEnd(options(['no-such-program']));
  expect(run).toMatchObject({ ending: { kind: 'not_started', what: 'command', code: 'ENOENT' }, output: '' });
});

test('captured output is raw; error output stays apart', async () => {
  const run = await runCapture(options("printf '\\377\\000a'; echo problem >&2"));
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, stderr: 'problem\n' });
  expect([...run.stdout]).toEqual([0xff, 0x00, 0x61]);
});

test('a command that prints more than the capture limit is stopped', async () => {
  const run = await runCapture(options(['yes'], { maxOutputBytes: 100_000 }));
  expect(run.ending).toMatchObject({ kind: 'stopped', by: 'output' });
  expect(run.stdout.length).toBeLessThanOrEqual(100_000);
});
