import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from './identity.ts';
import { findByMarker } from './reap.ts';
import { runToEnd } from './run-to-end.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';
import { fixture, createAttempt as prepare } from './testing/attempt.ts';

test('A083 A097: exit code, output and error output are kept apart, in files only the owner can read', async () => {
  const { options, stdout, read, folder } = prepare(fixture('failing-agent'));
  const run = await supervise(options);
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 3 }, survivors: [] });
  expect(run.durationMs).toBeGreaterThan(0);
  expect(stdout()).toBe('to stdout\n');
  expect(read('stderr')).toBe('to stderr\n');
  expect(run.stdout.toString()).toBe('to stdout\n');
  expect(run.stderr.toString()).toBe('to stderr\n');
  for (const name of ['stdout', 'stderr']) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
});

test('output is added to what an earlier run left in the file', async () => {
  const { folder, options, stdout } = prepare('echo again');
  writeFileSync(path.join(folder, 'stdout'), 'before\n');
  await supervise({ ...options, maxOutputBytes: 6 });
  expect(stdout()).toBe('before\nagain\n');
});

test('an agent that ignores SIGTERM and hides a child in a new session leaves nothing behind', async () => {
  const stop = new AbortController();
  const { options, marker } = prepare(fixture('stubborn-agent'), { signal: stop.signal, graceMs: 200 });
  const running = supervise(options);
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  stop.abort();
  expect(await running).toMatchObject({ ending: { kind: 'stopped', by: 'request', forced: true }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

test('a second abort ends the grace at once', async () => {
  const stop = new AbortController();
  const kill = new AbortController();
  const signals = { signal: stop.signal, killSignal: kill.signal };
  const { options, marker } = prepare(fixture('stubborn-agent'), { ...signals, graceMs: 3_600_000 });
  const running = supervise(options);
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  stop.abort();
  kill.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: true });
  expect(findByMarker(marker)).toEqual([]);
});

test('an agent that ends within its grace is not forced, and its last output is kept', async () => {
  const stop = new AbortController();
  const { options, stdout } = prepare(fixture('polite-agent'), { signal: stop.signal });
  const running = supervise(options);
  await expect.poll(stdout).toBe('ready\n');
  stop.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  expect(stdout()).toBe('ready\nsaved\n');
});

test('what is left of the group after its first process ended gets the rest of the grace', async () => {
  const stop = new AbortController();
  const slow = "trap 'sleep 0.2; echo saved; exit' TERM; echo ready; while :; do sleep 0.01; done";
  const { options, stdout } = prepare(['sh', '-c', `(${slow}) & wait`], { signal: stop.signal });
  const running = supervise(options);
  await expect.poll(stdout).toBe('ready\n');
  stop.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  expect(stdout()).toBe('ready\nsaved\n');
});

test('an agent that stopped itself still gets to act on the graceful signal', async () => {
  const stop = new AbortController();
  const command = "trap 'echo saved; exit 0' TERM; kill -STOP $$";
  const pids: number[] = [];
  const onStarted = ({ pid }: ProcessIdentity) => void pids.push(pid);
  const { folder, options, stdout } = prepare(command, { signal: stop.signal, onStarted });
  const running = supervise(options);
  const state = async () => (await runToEnd({ command: `ps -o stat= -p ${pids[0]}`, cwd: folder, env: {} })).output;
  await expect.poll(state).toMatch(/^T/);
  stop.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  expect(stdout()).toBe('saved\n');
});

test("the agent's own graceful signal is used when it has one", async () => {
  const stop = new AbortController();
  const command = "trap 'echo interrupted; exit 0' INT; trap '' TERM; echo ready; while :; do sleep 0.01; done";
  const { options, stdout } = prepare(command, { signal: stop.signal, stopSignal: 'SIGINT' });
  const running = supervise(options);
  await expect.poll(stdout).toBe('ready\n');
  stop.abort();
  expect((await running).ending).toEqual({ kind: 'stopped', by: 'request', forced: false });
  expect(stdout()).toBe('ready\ninterrupted\n');
});

test('B134: no next turn begins beside work in the background: children that a successful agent leaves are swept', async () => {
  const { options, marker, stdout } = prepare(fixture('untidy-agent'));
  const run = await supervise(options);
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, survivors: [] });
  expect(stdout()).toBe('done\n');
  expect(findByMarker(marker)).toEqual([]);
});

test('a child without the marker that stays in the process group is swept too', async () => {
  const { options, stdout } = prepare('env -i sleep 600 & echo $!');
  await supervise(options);
  const left = identityOf(Number(stdout()));
  expect(left !== undefined && isAlive(left)).toBe(false);
});

test('what an inner ralphd starts is found by the marker of the outer one', async () => {
  const { options, marker, stdout } = prepare(fixture('untidy-agent'));
  const inner = { ...options, env: { ...options.env, RALPHD_ATTEMPT: 'outer' }, command: 'echo $RALPHD_ATTEMPT' };
  await supervise(inner);
  expect(stdout()).toBe(`outer,${marker}\n`);
});

test('A086 A098: a run that passes its time limit is ended', async () => {
  const { options, marker } = prepare(fixture('stubborn-agent'), { timeoutMs: 100, graceMs: 50 });
  expect((await supervise(options)).ending).toMatchObject({ kind: 'stopped', by: 'timeout' });
  expect(findByMarker(marker)).toEqual([]);
});

test('R19: an agent that falls silent is ended by the idle limit', async () => {
  const { options } = prepare(fixture('silent-agent'), { idleMs: 150 });
  expect((await supervise(options)).ending).toEqual({ kind: 'stopped', by: 'idle', forced: false });
});

test('a run that prints too much is ended', async () => {
  const { options } = prepare(['yes'], { maxOutputBytes: 100_000 });
  expect((await supervise(options)).ending).toEqual({ kind: 'stopped', by: 'output', forced: false });
});

test('a run that is killed from outside reports the signal', async () => {
  const { options } = prepare('kill -KILL $$');
  expect((await supervise(options)).ending).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
});

test('A082: a prompt of 300 kB that begins with a dash arrives whole, followed by the end of input', async () => {
  const { folder, options, stdout } = prepare(['cat']);
  const prompt = `- first point\n${'ä'.repeat(150_000)}\n`;
  const stdinPath = path.join(folder, 'prompt');
  writeFileSync(stdinPath, prompt);
  expect((await supervise({ ...options, stdinPath })).ending).toEqual({ kind: 'exited', code: 0 });
  expect(stdout()).toBe(prompt);
});

test('without a prompt the input is empty, never an open pipe', async () => {
  const { options, stdout } = prepare('cat; echo ended');
  await supervise(options);
  expect(stdout()).toBe('ended\n');
});

test('the working directory may have blanks in its name, and the environment is exactly the one given', async () => {
  const { folder, marker, options, stdout } = prepare(['sh', '-c', 'pwd; env']);
  await supervise({ ...options, env: { PATH: '/usr/bin:/bin', GREETING: 'hello world' } });
  const lines = stdout().trimEnd().split('\n');
  expect(lines[0]).toBe(folder);
  expect(lines.slice(1).sort()).toEqual([
    'GREETING=hello world',
    'PATH=/usr/bin:/bin',
    `PWD=${folder}`,
    `RALPHD_ATTEMPT=${marker}`,
  ]);
});

test('the identity is reported as soon as the process runs', async () => {
  const seen: ProcessIdentity[] = [];
  const { options, stdout } = prepare('echo $$', { onStarted: (identity) => void seen.push(identity) });
  const run = await supervise(options);
  expect(seen).toEqual([run.identity]);
  expect(seen[0]?.pid).toBe(Number(stdout()));
});

test('when the start cannot be recorded the process is killed and the error passed on', async () => {
  const onStarted = () => {
    throw new Error('disk full');
  };
  const { options, marker } = prepare(fixture('stubborn-agent'), { onStarted });
  await expect(supervise(options)).rejects.toThrow('disk full');
  expect(findByMarker(marker)).toEqual([]);
});

test('nothing is started when the stop request came first', async () => {
  const { options } = prepare('touch started', { signal: AbortSignal.abort() });
  const run = await supervise(options);
  expect(run).toMatchObject({ ending: { kind: 'stopped', by: 'request', forced: false }, survivors: [] });
  expect(run.identity).toBeUndefined();
});

test('the reasons why a command cannot start are distinguished', async () => {
  const { folder, options } = prepare(['no-such-program']);
  const plain = path.join(folder, 'plain');
  writeFileSync(plain, '#!/no/such/interpreter\n');
  const scripted = path.join(folder, 'scripted');
  writeFileSync(scripted, '#!/no/such/interpreter\n');
  chmodSync(scripted, 0o755);
  const reason = async (more: Partial<SuperviseOptions>) => {
    const attempt = mkdtempSync(path.join(folder, 'attempt-'));
    const { ending } = await supervise({ ...options, folder: attempt, ...more });
    return ending.kind === 'not_started' ? `${ending.what} ${ending.code}` : ending;
  };
  expect(await reason({})).toBe('command ENOENT');
  expect(await reason({ command: [plain] })).toBe('command EACCES');
  expect(await reason({ command: [scripted] })).toBe('command ENOEXEC');
  expect(await reason({ command: [] })).toBe('command EINVAL');
  expect(await reason({ command: ['echo', 'x'.repeat(3_000_000)] })).toBe('command E2BIG');
  expect(await reason({ command: 'true', cwd: path.join(folder, 'gone') })).toBe('directory ENOENT');
  expect(await reason({ command: 'true', stdinPath: path.join(folder, 'gone') })).toBe('files ENOENT');
});

test('a spool that is a symbolic link is refused', async () => {
  const { folder, options } = prepare('echo overwritten');
  mkdirSync(path.join(folder, 'elsewhere'));
  symlinkSync(path.join(folder, 'elsewhere', 'target'), path.join(folder, 'stdout'));
  expect((await supervise(options)).ending).toMatchObject({ kind: 'not_started', what: 'files', code: 'ELOOP' });
});

test.each([
  ['in the agent itself', 'hog'],
  ['in a child that left its group and its parent', 'setsid sh -c "hog & exit" & sleep 60'],
  ['in many children', 'for part in 1 2 3 4; do small & done; wait'],
])('B062: memory over the bound ends the run without grace: %s', async (_where, work) => {
  const hold = (bytes: number) => `{ head -c ${bytes} /dev/zero; sleep 60; } | tail -c ${bytes} >/dev/null`;
  const names = `hog() { ${hold(60_000_000)}; }; small() { ${hold(16_000_000)}; }`;
  const command = ['bash', '-c', `${names}; export -f hog small; trap '' TERM; ${work.replace('sh -c', 'bash -c')}`];
  const { options, marker } = prepare(command, { maxMemoryBytes: 50_000_000, graceMs: 3_600_000 });
  const run = await supervise(options);
  expect(run).toMatchObject({
    ending: { kind: 'stopped', by: 'memory', forced: true },
    survivors: [],
    memory: { largest: { name: 'tail', pid: expect.any(Number) } },
  });
  expect(run.memory?.bytes).toBeGreaterThan(50_000_000);
  expect(findByMarker(marker)).toEqual([]);
});
