import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findOldNode, nodeVersion } from '../support/old-node.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
const oldNode = findOldNode();
const newNode = process.execPath;

test('the launcher is written so that a Node as old as 12 can read it', async () => {
  const source = await readFile(path.join(root, 'bin/ralphd.mjs'), 'utf8');
  expect(source).not.toMatch(/\?\.|\?\?|\|\|=|&&=|'node:|^await |\.at\(|replaceAll/m);
});

describe('on a Node that is new enough', () => {
  test('the exit code is what the command line returns', async () => {
    const home = await install();
    expect(await launch(newNode, home, ['exit', '7'])).toMatchObject({ code: 7, stdout: '', stderr: '' });
  });

  test.each(['--version', '-V'])('%s needs nothing but the launcher', async (flag) => {
    const home = await install({ built: false });
    expect(await launch(newNode, home, [flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('a launcher that was never built says how to build it', async () => {
    const home = await install({ built: false });
    expect(await launch(newNode, home, ['status'])).toMatchObject({
      code: 78,
      stderr: `ralphd is not built yet: run "npm run build" in ${home} and try again.\n`,
    });
  });

  test('a defect is shown with its stack and ends with 1', async () => {
    const ended = await launch(newNode, await install(), ['fail']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^Error: a defect\n\s+at /);
  });
});

const whenOld = oldNode === undefined ? 'on an older Node (SKIPPED: none on PATH)' : 'on an older Node';
describe.skipIf(oldNode === undefined)(whenOld, () => {
  const old = oldNode ?? '';

  test('the repository’s own Node takes over, with the same words and nothing added to the environment', async () => {
    const { code, stdout } = await launch(old, await install(), ['report', '--flag', 'two words']);
    expect(JSON.parse(stdout)).toEqual({ node: newNodeVersion(), leaked: [], args: ['report', '--flag', 'two words'] });
    expect(code).toBe(0);
  });

  test('the exit code comes through', async () => {
    expect(await launch(old, await install(), ['exit', '5'])).toMatchObject({ code: 5, stderr: '' });
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s reaches the inner process', async (signal) => {
    const { launcher, output } = await startWaiting(old);
    launcher.kill(signal);
    expect(await once(launcher, 'exit')).toEqual([42, null]);
    await expect.poll(output).toContain(`got ${signal}`);
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    'death of the inner process by %s is the launcher’s own',
    async (signal) => {
      expect(await launch(old, await install(), ['die', signal])).toMatchObject({ code: null, signal });
    },
  );

  test('a killed launcher takes the inner process with it at once, and leaves the agent alone', async () => {
    const { launcher, inner, agent, exitMark } = await startWaiting(old);
    launcher.kill('SIGKILL');
    await expect.poll(() => isAlive(inner)).toBe(false);
    expect(isAlive(agent)).toBe(true);
    expect(existsSync(exitMark)).toBe(false);
  });

  test('without a Node of its own the launcher says in one sentence what is missing', async () => {
    const home = await install({ runtime: false });
    for (const words of [['status'], ['--version']]) {
      expect(await launch(old, home, words)).toMatchObject({
        code: 78,
        stdout: '',
        stderr: `ralphd needs Node 22.18 or newer, and this is Node ${nodeVersion(old).slice(1)}: install a newer Node (https://nodejs.org) and try again.\n`,
      });
    }
  });
});

/** A repository with the real launcher and, in place of the built command line, one that shows what happens. */
async function install({ built = true, runtime = true } = {}): Promise<string> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'ralphd-launcher-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await cp(path.join(root, 'bin'), path.join(home, 'bin'), { recursive: true });
  await cp(path.join(root, 'package.json'), path.join(home, 'package.json'));
  if (built) await cp(path.join(import.meta.dirname, 'fixtures/cli.mjs'), path.join(home, 'dist/cli.js'));
  if (runtime) {
    await mkdir(path.join(home, 'tools/runtime'), { recursive: true });
    await cp(path.join(root, 'tools/runtime/package.json'), path.join(home, 'tools/runtime/package.json'));
    await symlink(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  }
  return home;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function launch(node: string, home: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(node, [path.join(home, 'bin/ralphd.mjs'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = [collect(child.stdout), collect(child.stderr)] as const;
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout: texts[0](), stderr: texts[1]() };
}

async function startWaiting(node: string) {
  const home = await install();
  const exitMark = path.join(home, 'exit-mark');
  const words = [path.join(home, 'bin/ralphd.mjs'), 'wait', exitMark];
  const launcher: ChildProcess = spawn(node, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void launcher.kill('SIGKILL'));
  const output = launcher.stdout === null ? () => '' : collect(launcher.stdout);
  await expect.poll(output).toContain('\n');
  const { inner, agent } = JSON.parse(output().split('\n')[0] ?? '') as { inner: number; agent: number };
  onTestFinished(() => [inner, agent].filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL')));
  return { launcher, inner, agent, exitMark, output };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

// A dead process whose new parent is slow to collect it still answers to signal 0.
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const row = `/proc/${pid}/stat`;
    return !existsSync(row) || !/\) [ZX] /.test(readFileSync(row, 'utf8'));
  } catch {
    return false;
  }
}

function newNodeVersion(): string {
  return nodeVersion(path.join(root, 'node_modules/.bin/node'));
}
