import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readExit, readStarted, voidAttempt } from './attempt-files.ts';
import { isAlive } from './identity.ts';
import { findByMarker } from './reap.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';
import { systemTools } from './system-tools.ts';
import { processTable } from './table.ts';
import { findTeam } from './team.ts';
import { abandon } from './testing/abandon.ts';
import { createAttempt, fixture } from './testing/attempt.ts';

/** Every kind of keeper keeps the same promises. */
const shells: readonly { readonly name: string; readonly shell: readonly string[] | undefined }[] = [
  { name: 'perl', shell: undefined },
  ...[['/bin/dash'], ['/bin/bash', '--posix'], ['/bin/busybox', 'ash']]
    .filter(([file = '']) => existsSync(file))
    .map((shell) => ({ shell, name: path.basename(shell[0] ?? '') })),
];

function numberOf(text: string): number {
  return Number(text.trim());
}

test.each(shells)(
  'A083 A097: in $name the real exit code is recorded, a death by signal included',
  async ({ shell }) => {
    const endings = async (command: string) => (await supervise(createAttempt(command, { shell }).options)).ending;
    expect(await endings('exit 0')).toEqual({ kind: 'exited', code: 0 });
    expect(await endings('exit 3')).toEqual({ kind: 'exited', code: 3 });
    expect(await endings('exit 255')).toEqual({ kind: 'exited', code: 255 });
    expect(await endings('kill -KILL $$')).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(await endings('kill -INT $$')).toEqual({ kind: 'signalled', signal: 'SIGINT' });
    // A shell cannot distinguish it from the one before.
    const code = { kind: 'exited', code: 130 };
    expect(await endings('exit 130')).toEqual(shell === undefined ? code : { kind: 'signalled', signal: 'SIGINT' });
  },
);

test.each(shells)('in $name the agent can trap every signal and leads its own group', async ({ shell }) => {
  const { options, stdout } = createAttempt(
    `for name in HUP INT QUIT TERM PIPE USR1; do trap "echo $name" $name; kill -$name $$; done
     ps -o pgid= -p $$ | tr -d ' '; echo $$; env | grep -c RALPHD`,
    { shell },
  );
  await supervise(options);
  const [hup, int, quit, term, pipe, usr1, group, self, ours] = stdout().split('\n');
  expect([hup, int, quit, term, pipe, usr1]).toEqual(['HUP', 'INT', 'QUIT', 'TERM', 'PIPE', 'USR1']);
  expect(group).toBe(self);
  expect(ours).toBe('1');
});

test.each(shells)('in $name the agent can reach neither the spools nor the line to ralphd', async ({ shell }) => {
  const { options, stdout, folder } = createAttempt(['ls', '-l', '/proc/self/fd'], { shell });
  await supervise(options);
  expect(stdout()).toMatch(/ 1 -> pipe:.*\n.* 2 -> pipe:/);
  expect(stdout()).not.toContain(folder);
  expect(stdout()).not.toMatch(/ [4-9] -> /);
});

test.each(shells)('in $name an agent may write to /dev/stdout and loses nothing of its output', async ({ shell }) => {
  const { options, stdout, read } = createAttempt(
    'echo one; echo two > /dev/stdout; echo three; echo no > /dev/stderr',
    {
      shell,
    },
  );
  await supervise(options);
  expect(stdout()).toBe('one\ntwo\nthree\n');
  expect(read('stderr')).toBe('no\n');
});

test.each(shells)('in $name the deadline is enforced although no ralphd lives', async ({ shell }) => {
  const { options, folder, read, left } = createAttempt(fixture('stubborn-agent'), {
    shell,
    timeoutMs: 2_000,
    graceMs: 1,
  });
  await abandon(options);
  await expect.poll(left).toEqual([]);
  // It has had time to ignore signals and to hide a child.
  expect(read('stdout')).toBe('ready\n');
  expect(read('overdue')).toBe('deadline forced\n');
  expect(readExit(folder)?.ending).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
});

test.each(shells)(
  'in $name an agent whose ralphd is gone runs no longer than it is permitted to',
  async ({ shell }) => {
    const permitted = { shell, timeoutMs: 3_600_000, permitMs: 1_000, graceMs: 1 };
    const { options, read, left } = createAttempt(fixture('polite-agent'), permitted);
    await abandon(options);
    await expect.poll(left).toEqual([]);
    expect(read('overdue')).toBe('deadline\n');
  },
);

test.each(shells)('in $name an agent that must not outlive its ralphd is ended, with grace', async ({ shell }) => {
  const { options, folder, read, left } = createAttempt(fixture('polite-agent'), {
    shell,
    onRunnerLoss: 'end',
    graceMs: 60_000,
  });
  await abandon(options, 'ready');
  await expect.poll(left).toEqual([]);
  expect(read('overdue')).toBe('loss\n');
  expect(readExit(folder)?.ending).toEqual({ kind: 'exited', code: 0 });
});

test.each(shells)(
  'in $name an agent that ends while no ralphd lives leaves its result and nothing else',
  async ({ shell }) => {
    const command =
      'until [ -e go ]; do sleep 0.01; done; sleep 600 & setsid sleep 600 & echo said; echo why >&2; exit 7';
    const { options, folder, read, left } = createAttempt(command, { shell, timeoutMs: 3_600_000 });
    await abandon(options);
    writeFileSync(path.join(folder, 'go'), '');
    await expect.poll(left).toEqual([]);
    expect(readExit(folder)?.ending).toEqual({ kind: 'exited', code: 7 });
    expect([read('stdout'), read('stderr')]).toEqual(['said\n', 'why\n']);
    expect(existsSync(path.join(folder, 'overdue'))).toBe(false);
  },
);

test.each(shells)('in $name the list of processes shows a short line for the keeper', async ({ shell }) => {
  const command = 'until [ -e go ]; do sleep 0.01; done; echo "$RALPHD_KEEPER_PROGRAM$0$1"';
  const { options, folder, marker, stdout } = createAttempt(['/bin/sh', '-c', command, "it's", '"a $b\n'], {
    shell,
    title: ['ralph-fix-a1b2c3d4', '7'],
  });
  const ended = supervise(options);
  const lines = () =>
    findTeam(marker).map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' '));
  const program = shell === undefined ? ['/usr/bin/perl', '-'] : [...shell, '-c', 'eval "$RALPHD_KEEPER_PROGRAM"'];
  const shown = `${program.join(' ')} ralphd-keeper ralph-fix-a1b2c3d4 7 `;
  const pumps = shell === undefined ? [] : ['/usr/bin/cat ', '/usr/bin/cat '];
  await expect.poll(() => lines().filter((line) => line === shown).length).toBeGreaterThan(0);
  await expect.poll(() => lines().filter((line) => line !== shown)).toEqual(pumps);
  writeFileSync(path.join(folder, 'go'), '');
  await ended;
  // The agent gets its words as they were, and nothing of the program.
  expect(stdout()).toBe('it\'s"a $b\n\n');
});

test('without setsid a shell with job control gives the agent its own group', async () => {
  const tools = { ...systemTools() };
  Object.assign(systemTools(), { setsid: '' });
  try {
    const { options, stdout } = createAttempt("trap 'echo int; exit 4' INT; ps -o pgid= -p $$; echo $$; kill -INT $$", {
      shell: ['/bin/bash', '--posix'],
    });
    const platform = Object.getOwnPropertyDescriptor(process, 'platform');
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    const run = await supervise(options).finally(
      () => platform && Object.defineProperty(process, 'platform', platform),
    );
    expect(run.ending).toEqual({ kind: 'exited', code: 4 });
    const [group, self, trapped] = stdout().split('\n');
    expect(group?.trim()).toBe(self);
    expect(trapped).toBe('int');
  } finally {
    Object.assign(systemTools(), tools);
  }
});

test('files of the keeper are readable by their owner alone, files of the agent follow the user’s umask', async () => {
  const { options, folder } = createAttempt('umask; touch made; exit 1');
  const run = await supervise(options);
  for (const name of ['started', 'exit']) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  const wanted = 0o666 & ~Number.parseInt(run.stdout.toString(), 8);
  expect(statSync(path.join(folder, 'made')).mode & 0o777).toBe(wanted);
  const own = path.join(folder, 'own');
  writeFileSync(own, '');
  expect(wanted).toBe(statSync(own).mode & 0o777);
});

test('an attempt starts at most once: one that was abandoned never does, and one that ran never runs again', async () => {
  const { options, folder, stdout } = createAttempt('echo ran');
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'exited', code: 0 } });
  expect(voidAttempt(folder)).toBe(false);
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'not_started', what: 'files', code: 'EEXIST' } });
  expect(stdout()).toBe('ran\n');
  const other = createAttempt('echo ran');
  expect(voidAttempt(other.folder)).toBe(true);
  expect(voidAttempt(other.folder)).toBe(false);
  expect(await supervise(other.options)).toMatchObject({ ending: { kind: 'not_started' } });
  expect(other.stdout()).toBe('');
});

test('the files identify the keeper beyond doubt, and the agent is its child', async () => {
  const { options, folder } = createAttempt('until [ -e go ]; do sleep 0.01; done');
  const running = supervise(options);
  await expect.poll(() => findByMarker(options.marker).length).toBeGreaterThan(0);
  const { keeper } = readStarted(folder) ?? {};
  expect(keeper && isAlive(keeper)).toBe(true);
  const children = processTable.all().filter((row) => row.parentId === keeper?.pid && row.groupId === row.pid);
  writeFileSync(path.join(folder, 'go'), '');
  const { identity } = await running;
  expect(children).toMatchObject([{ pid: identity?.pid, startTime: identity?.startTime }]);
});

test.each([
  ['its keeper', 'kill -KILL $PPID'],
  [
    'every keeper above it',
    'p=$PPID; while grep -qs ralphd-keeper /proc/$p/cmdline; do q=$(ps -o ppid= -p $p); kill -KILL $p; p=$((q)); done',
  ],
  ['the whole group of its keeper', 'kill -KILL -$(ps -o pgid= -p $PPID | tr -d " ")'],
])('an agent that kills %s is lost, and ended with everything it started', async (_what, kill) => {
  const { options, marker } = createAttempt(`setsid sleep 600 & ${kill}; sleep 600`);
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'lost' }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
  expect(findTeam(marker)).toEqual([]);
});

test.each([
  ['its keeper', 'kill -STOP $PPID'],
  ['every process of its keeper', 'kill -STOP -$(ps -o pgid= -p $PPID | tr -d " ")'],
])('an agent that stops %s gains nothing by it', async (_what, stop) => {
  const { options, stdout } = createAttempt(`echo one; ${stop}; echo two; exit 8`);
  expect(await supervise(options)).toMatchObject({ ending: { kind: 'exited', code: 8 }, survivors: [] });
  expect(stdout()).toBe('one\ntwo\n');
});

test('an agent that deletes its whole folder is judged by its output and by how it ended', async () => {
  const { options, folder } = createAttempt('echo said; rm -rf "$FOLDER"; echo more; exit 5');
  const run = await supervise({ ...options, cwd: '/', env: { ...options.env, FOLDER: folder } });
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 5 }, survivors: [] });
  expect(run.stdout.toString()).toBe('said\nmore\n');
});

test('an agent that forges how it ended is not believed', async () => {
  const { options, folder } = createAttempt('echo 0 > exit; echo deadline > overdue; exit 9');
  expect((await supervise(options)).ending).toEqual({ kind: 'exited', code: 9 });
  expect(readExit(folder)?.ending).toEqual({ kind: 'exited', code: 9 });
});

test('a child that left the group and its whole environment, but not the output, is found by that', async () => {
  const command =
    'env -i setsid sh -c "echo \\$\\$ > escaped; exec sleep 600" & until [ -s escaped ]; do :; done; echo done';
  const { options, read } = createAttempt(command);
  const run = await supervise(options);
  expect(run).toMatchObject({ ending: { kind: 'exited', code: 0 }, survivors: [] });
  expect(run.stdout.toString()).toBe('done\n');
  expect(processTable.read(numberOf(read('escaped')))?.zombie ?? true).toBe(true);
});

test('the pumps are out of reach of ordinary signals', async () => {
  const command = "echo before; kill -TERM -$(ps -o pgid= -p $PPID | tr -d ' '); echo after; exit 6";
  const { options, stdout } = createAttempt(command);
  expect((await supervise(options)).ending).toEqual({ kind: 'exited', code: 6 });
  expect(stdout()).toBe('before\nafter\n');
});

test('a program that the user wants to keep is not swept', async () => {
  const { options, folder } = createAttempt(
    `cp /bin/sleep ./mydaemon; setsid ./mydaemon 600 >/dev/null 2>&1 & echo $! > pid; sleep 600 &
     until [ "$(cat /proc/$(cat pid)/comm)" = mydaemon ]; do :; done`,
  );
  const { survivors } = await supervise({ ...options, keepProcesses: ['mydaemon'] } satisfies SuperviseOptions);
  expect(survivors).toEqual([]);
  const pid = numberOf(readFileSync(path.join(folder, 'pid'), 'utf8'));
  expect(processTable.read(pid)?.name).toBe('mydaemon');
  expect(findByMarker(options.marker)).toEqual([pid]);
  process.kill(pid, 'SIGKILL');
});

test('an agent whose keeper is gone before it could report the agent is lost, and ended', async () => {
  const { options, folder, marker } = createAttempt('true');
  const shell = path.join(folder, 'dies');
  const program = `#!/bin/sh\nRALPHD_ATTEMPT=${marker} setsid sleep 600 >&- 2>&- 3>&- &\necho "keeper $$ 1" >&3\n`;
  writeFileSync(shell, program, { mode: 0o700 });
  expect(await supervise({ ...options, shell: [shell] })).toMatchObject({ ending: { kind: 'lost' }, survivors: [] });
  expect(findByMarker(marker)).toEqual([]);
});

test('without perl a shell is the keeper', async () => {
  const { perl } = systemTools();
  Object.assign(systemTools(), { perl: '' });
  try {
    const { options, folder } = createAttempt('tr "\\0" " " < /proc/$PPID/cmdline; exit 3');
    const run = await supervise(options);
    expect(run.ending).toEqual({ kind: 'exited', code: 3 });
    expect(run.stdout.toString()).toMatch(/^\/bin\/sh -c /);
    expect(readFileSync(path.join(folder, 'exit'), 'utf8')).toBe('3\n');
  } finally {
    Object.assign(systemTools(), { perl });
  }
});

test.skipIf(systemTools().perl === '')(
  'under perl an agent gets every variable, and the keeper obeys none',
  async () => {
    const odd = { 'A.B': 'x=y', EMPTY: '', PERL5OPT: '-MNo::Such::Module' };
    const { options } = createAttempt(['/usr/bin/env']);
    const run = await supervise({ ...options, env: { ...options.env, ...odd } });
    expect(run.ending).toEqual({ kind: 'exited', code: 0 });
    expect(run.stdout.toString().split('\n')).toEqual(
      expect.arrayContaining(['A.B=x=y', 'EMPTY=', 'PERL5OPT=-MNo::Such::Module']),
    );
  },
);
