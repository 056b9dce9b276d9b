import { expect, test } from 'vitest';
import { findByMarker } from '../../process/index.ts';
import { configSchema, type HookStep, type LoopConfigInput } from '../../protocol/index.ts';
import type { HookTask } from '../../runner/index.ts';
import { attemptContext, attemptFolder } from '../testing/attempt-folder.ts';
import { createHooksPort } from './hooks-port.ts';

type Hooks = NonNullable<LoopConfigInput['hooks']>;
type Hook = Partial<Hooks[number]>;

const context = { ...attemptContext, status: 'pre_hooks' } as const;

/** Hooks named a, b, c … in a folder of their own. */
function prepare(...commands: readonly Hook[]) {
  const folder = attemptFolder();
  const hooks = commands.map((command, index): Hooks[number] => {
    return { name: 'abcdef'.charAt(index), at: ['pre_iteration'], ...command };
  });
  const config = configSchema.parse({ hooks, iteration: { killGrace: '50ms' } });
  const port = createHooksPort({ config, ...folder.place });
  const run = async (point: HookStep = 'pre_iteration', { signals = folder.idle, isRepeat = false } = {}) => {
    const due = hooks.map(({ name }) => ({ name, point }));
    const task: HookTask = {
      of: { iteration: 3, attempt: 2 },
      point,
      hooks: due,
      context,
      data: { before: 'x' },
      isRepeat,
    };
    return await port.run(task, signals);
  };
  return { ...folder, run };
}

test('B070: a hook gets its context as JSON on stdin, runs in the working directory and has the caller’s environment', async () => {
  const { run, read } = prepare({
    run: 'cat > input; echo "$GREETING $RALPHD_HOOK $RALPHD_HOOK_POINT $RALPHD_ITERATION $RALPHD_ATTEMPT_NUMBER" > env',
  });
  expect(await run()).toMatchObject({ results: [{ name: 'a', point: 'pre_iteration', ok: true }] });
  expect(JSON.parse(read('input'))).toEqual({ hook: 'a', point: 'pre_iteration', ...context, data: { before: 'x' } });
  expect(read('env')).toBe('hello a pre_iteration 3 2\n');
});

test('a list runs without a shell', async () => {
  expect(await prepare({ run: ['echo', '$HOME', 'a b'] }).run()).toMatchObject({
    results: [{ output: '$HOME a b\n' }],
  });
});

test.each<[string, Hook, string]>([
  ['that exits 3', { run: 'echo why >&2; exit 3' }, 'it exited with code 3'],
  ['that is killed', { run: 'kill -9 $$' }, 'it was killed by SIGKILL'],
  ['that is not there', { run: ['no-such-hook'] }, 'it could not be started: '],
  ['that takes too long', { run: 'sleep 1000', timeout: '100ms' }, 'it was ended because it took longer than 100ms'],
  ['that never stops printing', { run: 'yes' }, 'it was ended because it printed too much'],
  ['whose answer makes no sense', { run: `echo '{"continue":"no"}'` }, '"continue" in its reply must be true or false'],
])('B072: a hook %s has failed, and the next one runs', async (_what, hook, error) => {
  const { run } = prepare(hook, { run: 'echo next' });
  const outcome = await run();
  expect(outcome?.results).toMatchObject([{ ok: false }, { ok: true, output: 'next\n' }]);
  expect(outcome?.results[0]?.error).toContain(error);
  expect(outcome?.results[0]?.fatal).toBeUndefined();
  expect(outcome?.stop).toBeUndefined();
});

test('B070: a hook that must not fail is the last one', async () => {
  const { run, has } = prepare({ run: 'exit 1', fatal: true }, { run: 'touch ran' });
  expect((await run())?.results).toMatchObject([{ name: 'a', ok: false, fatal: true }]);
  expect(has('ran')).toBe(false);
});

test('B070: a hook that asks to stop is the last one', async () => {
  const { run, has } = prepare({ run: `echo '{"continue":false,"reason":"frozen"}'` }, { run: 'touch ran' });
  expect(await run()).toMatchObject({ results: [{ ok: true }], stop: { hook: 'a', reason: 'frozen' } });
  expect(has('ran')).toBe(false);
});

test('a hook that fails is not listened to', async () => {
  const outcome = await prepare({ run: `echo '{"continue":false,"prompt":"p","data":{"a":1}}'; exit 1` }).run();
  expect(Object.keys(outcome ?? {})).toEqual(['results']);
});

test('B072: values are passed along, and texts for the prompt are joined', async () => {
  const { run, read } = prepare(
    { run: `echo '{"data":{"before":"y","n":1},"prompt":"one"}'` },
    { run: `cat > input; echo noise >&2; echo '{"data":{"n":2},"prompt":"two"}'` },
  );
  expect(await run()).toMatchObject({ data: { before: 'y', n: '2' }, prompt: 'one\n\ntwo' });
  expect(JSON.parse(read('input'))).toMatchObject({ hook: 'b', data: { before: 'y', n: '1' } });
});

test('a hook after the agent that returns text for its prompt is warned about it', async () => {
  const outcome = await prepare({ run: `echo '{"prompt":"too late"}'` }).run('post_iteration');
  expect(outcome).toMatchObject({
    results: [{ ok: false, error: expect.stringContaining('only a hook that runs right before the agent') }],
  });
  expect(outcome?.prompt).toBeUndefined();
});

test('a long output is kept in bounds', async () => {
  const outcome = await prepare({ run: 'echo first; yes | head -c 100000; echo last' }).run();
  const output = outcome?.results[0]?.output ?? '';
  expect(output.length).toBeLessThanOrEqual(1_000);
  expect(output).toMatch(/^first\n[^]*last\n$/);
});

test('hooks that are interrupted, before or while they run, have no result and leave nothing running', async () => {
  const { run, idle, marker, has } = prepare({ run: 'touch begun; setsid sleep 1000 & sleep 1000' });
  expect(await run('pre_iteration', { signals: { ...idle, signal: AbortSignal.abort() } })).toBeUndefined();
  expect(has('begun')).toBe(false);
  const stop = new AbortController();
  const running = run('pre_iteration', { signals: { ...idle, signal: stop.signal } });
  await expect.poll(() => has('begun')).toBe(true);
  stop.abort();
  expect(await running).toBeUndefined();
  expect(findByMarker(marker)).toEqual([]);
});
