import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { realSubject } from '../oracle/subject.ts';
import { played, scenarios } from '../scenarios/scenarios.ts';
import { linesOf } from './lines.ts';
import { readSystemCalls, traced } from './system-calls.ts';

const tracer = 'strace';
const canTrace = spawnSync(tracer, ['-e', 'trace=none', 'true']).status === 0;
const names = [
  'snapshots and new segments',
  'a second and a third owner',
  'an owner that dies in the middle of a takeover',
  'files of an attempt',
  'a guarded loop and its copy',
  'commands in the inbox, two at once',
];

test.for(names)('the recorder is honest: a real process makes the same system calls: %s', (name, { skip }) => {
  skip(!canTrace, 'strace is missing or may not trace here: the recorder is not compared with system calls');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-honesty-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const top = path.join(folder, 'disk');
  const log = path.join(folder, 'calls');
  const program = [process.execPath, path.join(import.meta.dirname, 'fixtures/play.mjs'), top, name];
  mkdirSync(top);
  const run = spawnSync(tracer, ['-f', '-y', '-s', '0', '-e', `trace=${traced}`, '-o', log, ...program], {
    encoding: 'utf8',
  });
  expect(run.stderr).toBe('');

  const scenario = scenarios.find((each) => each.name === name);
  const inMemory = scenario ? linesOf(played(scenario, realSubject).tape.trace.operations) : [];
  expect(inMemory.length).toBeGreaterThan(30);
  expect(run.stdout.trim().split('\n')).toEqual(inMemory);
  expect(readSystemCalls(readFileSync(log, 'utf8'), top)).toEqual(inMemory);
});

test('a system call that strace shows on two lines counts once', () => {
  const log = [
    '7 fdatasync(3</top/a> <unfinished ...>',
    '8 write(1</dev/null>, ""..., 1) = 1',
    '7 <... fdatasync resumed>) = 0',
  ];
  expect(readSystemCalls(log.join('\n'), '/top')).toEqual(['syncData /a']);
});
