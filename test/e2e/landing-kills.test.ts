import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { endByMarker } from '../../src/process/index.ts';
import { runInside } from '../support/inside.ts';
import { eventually, follow, jsonLines, type Running } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

/** Where a landing is stopped: before or after a call of git, while a check runs, or while git writes a file. */
interface StopPoint {
  readonly when: 'before' | 'after' | 'check' | 'smudge';
  /** A part of the command line of git. */
  readonly call?: string;
}

// Each program that a landing starts waits in a named pipe if it is to be stopped there.
const wait = 'echo $$ > "$HOME/stopped"; read _ < "$HOME/pipe"';
const programs: Readonly<Record<string, readonly string[]>> = {
  'bin/git': [
    'read when call 2>/dev/null < "$HOME/stop"',
    `case "$when $*" in "before "*"$call"*) rm "$HOME/stop"; ${wait};; esac`,
    '/usr/bin/git "$@"; code=$?',
    `case "$when $*" in "after "*"$call"*) rm "$HOME/stop"; ${wait};; esac`,
    'exit $code',
  ],
  'repo/check.sh': [
    `case "$(cat "$HOME/stop" 2>/dev/null)" in check*) rm "$HOME/stop"; ${wait};; esac`,
    'test -f made',
  ],
  'repo/agent.sh': [
    'cat > /dev/null; echo made > made; git add -A; git commit -qm made; echo left > left',
    'echo "<promise>DONE</promise>"',
  ],
  // Git has locked the index and is about to write a file.
  'bin/smudge': [
    'case "$PWD $(cat "$HOME/stop" 2>/dev/null)" in "$HOME/repo smudge"*) rm "$HOME/stop";',
    `${wait};; esac; cat`,
  ],
};

const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd-kills-'));
const saved = `${home}-saved`;
const repo = path.join(home, 'repo');
const env = {
  PATH: [path.join(home, 'bin'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  HOME: home,
  TMPDIR: os.tmpdir(),
};
let loopId = '';

const sh = (line: string) =>
  execFileSync('/bin/sh', ['-c', line], { cwd: repo, env: { ...env, PATH: '/usr/bin:/bin' }, encoding: 'utf8' }).trim();

beforeAll(async () => {
  for (const [name, lines] of Object.entries(programs)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  }
  writeFileSync(path.join(repo, '.gitattributes'), 'made filter=half\n');
  sh(
    `mkfifo ../pipe; git init -q -b main; git config user.name A; git config user.email a@b; git config filter.half.smudge ${home}/bin/smudge; git config filter.half.clean cat; git add -A; git commit -qm first`,
  );
  const options = ['--agent-command', './agent.sh', '--verify', './check.sh', '--no-baseline', '--delay', '0s'];
  const args = ['run', 'Make it', ...options, '--worktree=alpha', '--json'];
  const { stdout, stderr } = await runInside(args, { cwd: repo, env });
  const end = jsonLines(stdout).at(-1);
  expect(end, stderr).toMatchObject({ status: 'completed', verified: true });
  loopId = String(end?.['loopId']);
  sh('echo other > other; git add -A; git commit -qm other');
  cpSync(home, saved, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter: isPlain });
  return () => {
    for (const folder of [home, saved]) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
});

const isPlain = (file: string) => path.basename(file) !== 'pipe';

/** Starts a landing in a process of its own, and waits until it is stopped. */
async function stopLanding({ when, call = '' }: StopPoint): Promise<{ landing: Running; stoppedPid: number }> {
  rmSync(home, { recursive: true, force: true });
  cpSync(saved, home, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  sh('mkfifo ../pipe');
  writeFileSync(path.join(home, 'stop'), `${when} ${call}\n`);
  const marker = randomUUID();
  onTestFinished(async () => void (await endByMarker(marker)));
  const args = [launcher, 'land', loopId, '--commit', '--json'];
  const own = { ...env, RALPHD_ATTEMPT: marker };
  const landing = follow(spawn(process.execPath, args, { cwd: repo, env: own }));
  const mark = path.join(home, 'stopped');
  await eventually(() => existsSync(mark) && readFileSync(mark, 'utf8').endsWith('\n')).toBe(true);
  return { landing, stoppedPid: Number(readFileSync(mark, 'utf8')) };
}

async function land(): Promise<Record<string, unknown>> {
  const { stdout } = await runInside(['land', loopId, '--commit', '--json'], { cwd: repo, env });
  return jsonLines(stdout).at(-1) ?? {};
}

const state = () => sh('git log --format=%s --first-parent; git --no-optional-locks status --short; ls');
const before = 'other\nfirst\nagent.sh\ncheck.sh\nother';
const after = 'Make it\nother\nfirst\nagent.sh\ncheck.sh\nleft\nmade\nother';

/** All that is left of a landing when it is over. */
function expectLanded(): void {
  expect(state()).toBe(after);
  expect(sh('cat made left; git for-each-ref --format="%(refname)"; git worktree list | wc -l')).toBe(
    'made\nleft\nrefs/heads/main\n1',
  );
  expect(readdirSync(os.tmpdir()).filter((name) => name.startsWith(`ralphd-land-${loopId}-`))).toEqual([]);
  const record = readFileSync(path.join(repo, '.ralph/loops', loopId, 'landing.json'), 'utf8');
  expect(JSON.parse(record)).toMatchObject({ state: 'landed', verified: true });
}

// `src/app/land.test.ts` lets a landing die after each of its steps.
test.each<[string, StopPoint, boolean]>([
  ['both branches are merged', { when: 'before', call: 'diff-tree' }, false],
  ['a check runs', { when: 'check' }, false],
  ['the branch has moved', { when: 'after', call: 'merge --ff-only' }, true],
  ['everything is removed', { when: 'after', call: 'update-ref -d' }, true],
])('a landing that is killed when %s is completed by the next one', async (_when, point, hasMoved) => {
  const { landing, stoppedPid } = await stopLanding(point);
  landing.signal('SIGKILL');
  expect((await landing.ended).signal).toBe('SIGKILL');
  process.kill(stoppedPid, 'SIGKILL');
  expect(state()).toBe(hasMoved ? after : before);
  expect(await land()).toMatchObject({ result: hasMoved ? 'already_landed' : 'landed', verified: true });
  expectLanded();
});

test('git that goes on after its landing was killed does not stop the next one', async () => {
  const { landing } = await stopLanding({ when: 'before', call: 'merge --ff-only' });
  landing.signal('SIGKILL');
  await landing.ended;
  const next = land();
  writeFileSync(path.join(home, 'pipe'), 'go\n');
  expect((await next)['result']).toMatch(/^(landed|already_landed)$/);
  await eventually(state).toBe(after);
  expectLanded();
});

test('a landing whose git is killed says so and changes nothing, and the next one completes it', async () => {
  const { landing, stoppedPid } = await stopLanding({ when: 'before', call: 'merge --ff-only' });
  process.kill(stoppedPid, 'SIGKILL');
  const { code, stdout } = await landing.ended;
  expect([code, jsonLines(stdout).at(-1)?.['code']]).toEqual([1, 'LANDING_FAILED']);
  expect(state()).toBe(before);
  expect(await land()).toMatchObject({ result: 'landed', verified: true });
  expectLanded();
});

test('git that is killed while it writes the tree of the user leaves a lock that is named, and then the tree is completed', async () => {
  const { landing, stoppedPid } = await stopLanding({ when: 'smudge' });
  const git = Number(sh(`ps -o ppid= -p ${stoppedPid}`));
  landing.signal('SIGKILL');
  await landing.ended;
  for (const pid of [git, stoppedPid]) process.kill(pid, 'SIGKILL');
  const lock = path.join(repo, '.git/index.lock');
  expect(await land()).toMatchObject({ code: 'LANDING_LOCKED', hint: expect.stringContaining(`rm '${lock}'`) });
  rmSync(lock);
  expect(await land()).toMatchObject({ result: 'landed', verified: true });
  expectLanded();
});

test('a second landing of the loop is refused while the first one runs', async () => {
  const { landing } = await stopLanding({ when: 'check' });
  expect(await land()).toMatchObject({ code: 'LOOP_LOCKED' });
  writeFileSync(path.join(home, 'pipe'), 'go\n');
  expect((await landing.ended).code).toBe(0);
  expectLanded();
});
