import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { findSpool, type Spool } from './spool.ts';
import { cutSpool } from './spool-cut.ts';
import { supervise } from './supervise.ts';
import { systemTools } from './system-tools.ts';
import { createAttempt, fixture } from './testing/attempt.ts';

function spoolWith(text: string | Buffer): { readonly file: string; readonly spool: Spool } {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-spool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'stdout');
  writeFileSync(file, text);
  const spool = findSpool(folder);
  onTestFinished(spool.close);
  return { file, spool };
}

function findAgain(file: string): Spool {
  const spool = findSpool(path.dirname(file));
  onTestFinished(spool.close);
  return spool;
}

test('an output that fits is not cut', () => {
  const { file, spool } = spoolWith('x'.repeat(1_000));
  cutSpool(spool, 1_000);
  expect(readFileSync(file, 'utf8')).toBe('x'.repeat(1_000));
});

test('a larger output keeps its beginning and end, with a line between that states how much is missing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 128, max: 2_000 }), (more, kept) => {
      const whole = Array.from({ length: kept + more + 1 }, (_, index) => 'abcdefghij'[index % 10]).join('');
      const { file, spool } = spoolWith(whole);
      cutSpool(spool, kept);
      const cut = readFileSync(file, 'utf8');
      expect(Buffer.byteLength(cut)).toBe(kept);
      const [, head = '', missing, tail = ''] = /^([a-j]+)\n\[… (\d+) bytes left out …\] *\n([a-j]*)$/.exec(cut) ?? [];
      expect(head.length + Number(missing) + tail.length).toBe(whole.length);
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('an output that was cut is not cut again, and the remains of an interrupted cut do no harm', () => {
  const { file, spool } = spoolWith('abcdefghij'.repeat(1_000));
  writeFileSync(`${file}.cut`, 'half of it');
  cutSpool(spool, 1_000);
  const once = readFileSync(file);
  expect(once).toHaveLength(1_000);
  cutSpool(findAgain(file), 1_000);
  expect(readFileSync(file)).toEqual(once);
  expect(existsSync(`${file}.cut`)).toBe(false);
});

test('an output file that was never created reads as empty', () => {
  const { spool, file } = spoolWith('out');
  expect(spool.tail('stderr', 100)).toEqual(Buffer.alloc(0));
  expect(spool.tail('stdout', 2).toString()).toBe('ut');
  expect(spool.bytes()).toBe(3);
  rmSync(file);
  expect(spool.tail('stdout', 100).toString()).toBe('out');
});

test('64 MB of output are followed completely and in order, in pieces of a fixed size', async () => {
  const { options, folder } = createAttempt(
    'i=0; while [ $i -lt 64 ]; do i=$((i+1)); head -c 1000000 /dev/zero; done; echo end',
  );
  let [bytes, largest, wrong] = [0, 0, 0];
  let last = '';
  const run = await supervise({
    ...options,
    tailBytes: 8,
    onOutput: (chunk) => {
      bytes += chunk.length;
      largest = Math.max(largest, chunk.length);
      if (chunk.subarray(0, -8).some((byte) => byte !== 0)) wrong += 1;
      last = Buffer.from(chunk.subarray(-4)).toString();
    },
  });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 } });
  expect({ bytes, wrong, last }).toEqual({ bytes: 64_000_004, wrong: 0, last: 'end\n' });
  expect(largest).toBeLessThanOrEqual(64 * 1024);
  expect(run.stdout).toEqual(Buffer.from('\0\0\0\0end\n'));
  expect(statSync(path.join(folder, 'stdout')).size).toBe(64_000_004);
});

test('what an agent prints is followed while it works, and the error of a failing listener is thrown at the end', async () => {
  const { options } = createAttempt(fixture('polite-agent'));
  const stop = new AbortController();
  const heard: string[] = [];
  const run = supervise({
    ...options,
    signal: stop.signal,
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') heard.push(Buffer.from(chunk).toString());
      stop.abort();
    },
  });
  expect((await run).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  expect(heard).toEqual(['ready\n', 'saved\n']);
  const failing = createAttempt('echo x');
  const onOutput = () => {
    throw new Error('not mine');
  };
  await expect(supervise({ ...failing.options, onOutput })).rejects.toThrow('not mine');
});

test('output of more than 64 MiB loses its middle once the run is over', async () => {
  const { options, folder } = createAttempt('head -c 70000000 /dev/zero; echo end');
  await supervise(options);
  expect(statSync(path.join(folder, 'stdout')).size).toBe(64 * 1024 * 1024);
  expect(readFileSync(path.join(folder, 'stdout')).subarray(-4).toString()).toBe('end\n');
});

test('what a slow pump has not written yet is waited for as long as the pump is busy', async () => {
  const { options, folder, stdout } = createAttempt('echo said');
  const cat = path.join(folder, 'slow-cat');
  // Busy for longer than an idle pump may stay silent.
  const busy = 'read -r from rest < /proc/uptime; to=$((${from%.*} + 5)); until [ ${from%.*} -ge $to ]; do';
  writeFileSync(cat, `#!/bin/sh\n${busy} read -r from rest < /proc/uptime; done\nexec /bin/cat\n`, { mode: 0o700 });
  const tools = { ...systemTools() };
  Object.assign(systemTools(), { cat });
  try {
    expect((await supervise(options)).ending).toEqual({ kind: 'exited', code: 0 });
  } finally {
    Object.assign(systemTools(), tools);
  }
  expect(stdout()).toBe('said\n');
});

test('R19: an agent that keeps running after its result is ended when its grace is over', async () => {
  const { options, stdout } = createAttempt(fixture('polite-agent'));
  let isOver = false;
  const onOutput = () => {
    isOver = true;
  };
  const run = supervise({ ...options, onOutput, hasResult: () => isOver, resultGraceMs: 50 });
  expect((await run).ending).toEqual({ kind: 'stopped', by: 'result', forced: false });
  expect(stdout()).toBe('ready\nsaved\n');
});

test('R19: an agent that prints nothing at all is ended by the start limit', async () => {
  const { options } = createAttempt(['sleep', '600']);
  expect((await supervise({ ...options, startMs: 100 })).ending).toMatchObject({ kind: 'stopped', by: 'start' });
});

test('R19: an agent that is silent but changes something is not idle', async () => {
  const { options } = createAttempt('sleep 1.5');
  const signOfLife = async () => String(performance.now());
  expect((await supervise({ ...options, idleMs: 1_000, signOfLife })).ending).toEqual({ kind: 'exited', code: 0 });
});
