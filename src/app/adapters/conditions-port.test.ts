import { utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { observableConditions } from '../../core/index.ts';
import { findByMarker, runToEnd } from '../../process/index.ts';
import { type ConditionInput, configSchema } from '../../protocol/index.ts';
import { attemptContext, attemptFolder } from '../testing/attempt-folder.ts';
import { createConditionsPort } from './conditions-port.ts';

const context = { ...attemptContext, status: 'verifying', claimed: false } as const;

/** Conditions stop.0, stop.1 … in a folder of their own. */
function prepare(...stop: readonly ConditionInput[]) {
  const folder = attemptFolder();
  const config = configSchema.parse({ stopConditions: { stop: [...stop] }, iteration: { killGrace: '50ms' } });
  const port = createConditionsPort({ config, ...folder.place });
  const look = async ({ signals = folder.idle, isRepeat = false, since = new Date(0).toISOString() } = {}) => {
    const task = { iteration: 3, attempt: 2, conditions: observableConditions(config), context, since, isRepeat };
    const results = await port.observe(task, signals);
    return results?.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  };
  return { ...folder, look };
}

test('A013, B038: a script gets its context as JSON on stdin, runs in the working directory and is never interpolated', async () => {
  const { look, read } = prepare({
    type: 'custom_script',
    run: 'cat > told; echo "$GREETING $RALPHD_CONDITION $RALPHD_ITERATION $RALPHD_ATTEMPT_NUMBER" > env',
  });
  expect(await look()).toEqual([{ key: 'stop.0', met: true, detail: 'it exited with code 0' }]);
  expect(JSON.parse(read('told'))).toEqual({ condition: 'stop.0', ...context });
  expect(read('env')).toBe('hello stop.0 3 2\n');
});

test.each<[string, ConditionInput & { type: 'custom_script' }, { met: boolean | null; detail: string }]>([
  [
    'that exits 0 and says why',
    { type: 'custom_script', run: 'echo first; echo "budget is used up"; echo' },
    { met: true, detail: 'it exited with code 0: budget is used up' },
  ],
  ['that exits 3', { type: 'custom_script', run: 'exit 3' }, { met: false, detail: 'it exited with code 3' }],
  [
    'that is a list',
    { type: 'custom_script', run: ['echo', '$HOME'] },
    { met: true, detail: 'it exited with code 0: $HOME' },
  ],
  ['that is killed', { type: 'custom_script', run: 'kill -9 $$' }, { met: null, detail: 'it was killed by SIGKILL' }],
  ['the shell does not find', { type: 'custom_script', run: 'no-such' }, { met: null, detail: 'command not found' }],
  [
    'that takes too long',
    { type: 'custom_script', run: 'sleep 1000', timeout: '100ms' },
    { met: null, detail: 'it was ended because it took longer than 100ms' },
  ],
])('A013, B041: a script %s', async (_what, condition, result) => {
  expect(await prepare(condition).look()).toEqual([{ key: 'stop.0', ...result }]);
});

test('A013: a missing program has no result, and the reason is given', async () => {
  const [result] = (await prepare({ type: 'custom_script', run: ['./no-such'] }).look()) ?? [];
  expect(result).toMatchObject({ met: null, detail: expect.stringContaining('it could not be started: ') });
});

test('B041: scripts run side by side, and the end of one does not end another', async () => {
  const meet = (own: string, other: string): ConditionInput => ({
    type: 'custom_script',
    run: `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done; [ ${own} = a ] || { sleep 0.2; echo slow; }`,
    timeout: '20s',
  });
  const { look } = prepare(meet('a', 'b'), meet('b', 'a'));
  expect(await look()).toEqual([
    { key: 'stop.0', met: true, detail: 'it exited with code 0' },
    { key: 'stop.1', met: true, detail: 'it exited with code 0: slow' },
  ]);
});

test('B041: a script that hangs is ended with everything it started', async () => {
  const stubborn = 'setsid sleep 1000 & sleep 1000 & trap "" TERM; touch hung; while :; do sleep 1; done';
  const { look, marker, has } = prepare({ type: 'custom_script', run: stubborn, timeout: '500ms' });
  expect(await look()).toMatchObject([{ met: null }]);
  expect(has('hung')).toBe(true);
  expect(findByMarker(marker)).toEqual([]);
});

test('scripts that are interrupted have no result and leave nothing running', async () => {
  const { look, idle, marker, has } = prepare({ type: 'custom_script', run: 'touch begun; sleep 1000', timeout: '1h' });
  const stop = new AbortController();
  const looking = look({ signals: { ...idle, signal: stop.signal } });
  await expect.poll(() => has('begun')).toBe(true);
  stop.abort();
  expect(await looking).toBeUndefined();
  expect(findByMarker(marker)).toEqual([]);
});

test('scripts that an earlier owner left running are ended before the next observation', async () => {
  const { look, marker, place } = prepare({ type: 'custom_script', run: 'true' });
  const left = runToEnd({ command: 'sleep 1000', cwd: place.workingDirectory, env: { PATH: '/usr/bin:/bin' }, marker });
  await expect.poll(() => findByMarker(marker).length).toBeGreaterThan(0);
  expect(await look({ isRepeat: true })).toMatchObject([{ met: true }]);
  expect((await left).ending).toMatchObject({ kind: 'signalled' });
});

test('B038: files are checked by name, by text and by pattern', async () => {
  const { look, write } = prepare(
    { type: 'file_created', path: 'here' },
    { type: 'file_created', path: 'gone' },
    { type: 'file_contains', path: 'here', text: 'a.c' },
    { type: 'file_contains', path: 'here', pattern: '^b+$' },
    { type: 'file_contains', path: 'here', pattern: '(?m)^b+$' },
    { type: 'file_created', path: '.' },
  );
  write('here', 'abc\nbbb\n');
  expect((await look())?.map(({ met, detail }) => [met, detail])).toEqual([
    [true, 'the file exists'],
    [false, 'the file does not exist'],
    [false, 'the text was not found'],
    [false, 'the text was not found'],
    [true, 'the text was found'],
    [false, 'not a regular file'],
  ]);
});

test('B038: a file too long to be read whole is searched at both ends, and otherwise unknown', async () => {
  const { look, write } = prepare(
    { type: 'file_contains', path: 'log', text: 'the end' },
    { type: 'file_contains', path: 'log', text: 'the middle' },
  );
  const filler = 'x'.repeat(1024 * 1024);
  write('log', `${filler}the middle${filler}the end`);
  expect(await look()).toMatchObject([{ met: true }, { met: null, detail: expect.stringContaining('too long') }]);
});

test('B038: a signal counts when the file was touched since the loop started', async () => {
  const { look, write, file } = prepare({ type: 'user_signal' });
  const since = '2026-11-01T12:00:00.900Z';
  expect(await look({ since })).toMatchObject([{ met: false }]);
  write('ralphd.stop', '');
  const touch = (instant: string) => utimesSync(file('ralphd.stop'), new Date(instant), new Date(instant));
  touch('2026-11-01T11:59:59.000Z');
  expect(await look({ since })).toEqual([
    { key: 'stop.0', met: false, detail: 'the file was modified at 2026-11-01T11:59:59.000Z, before the loop started' },
  ]);
  touch('2026-11-01T12:00:00.000Z');
  expect(await look({ since })).toMatchObject([
    { met: true, detail: 'the file was modified at 2026-11-01T12:00:00.000Z' },
  ]);
});
