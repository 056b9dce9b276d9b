import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findEncloser } from '../../process/index.ts';
import { type CheckCommand, configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import { createGate } from '../run-gate.ts';
import type { CapturedEnvironment } from './environment.ts';

type Files = Readonly<Record<string, string>>;

/** A project with its own home and a sealed gate. */
function project(files: Files, config: LoopConfigInput = {}, more: { isolated?: boolean } = {}) {
  const home = mkdtempSync(path.join(tmpdir(), 'ralphd sealed '));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = path.join(home, 'work', 'a project');
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    rmSync(at(name), { force: true });
    writeFileSync(at(name), text);
    if (text.startsWith('#!')) chmodSync(at(name), 0o755);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const gates = path.join(home, '.local/state/ralphd/gates');
  const setting = {
    config: configSchema.parse({ verifyIn: 'sealed', ...config }),
    workingDirectory: folder,
    env,
    uuid: randomUUID(),
    loopId: 'ralph-x-00000001',
    own: [path.join(folder, '.ralph'), gates],
    gates,
    ...(more.isolated === false ? { findEncloser: () => undefined } : {}),
  };
  const gate = createGate(setting);
  const idle = { signal: new AbortController().signal, kill: new AbortController().signal };
  const run = async (...checks: readonly CheckCommand[]) =>
    await gate.run({ checks, guards: [], purpose: 'gate', isRepeat: false }, idle);
  const prepare = async (...checks: readonly CheckCommand[]) => {
    const captured = await gate.prepare(checks);
    expect(captured).not.toBeTypeOf('string');
    return captured as CapturedEnvironment;
  };
  const sh = (line: string) => execFileSync('/bin/sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  return { home, folder, at, write, run, prepare, gate, gates, setting, idle, sh, env };
}

const hasNamespaces = findEncloser() !== undefined;
/** Without bubblewrap these are skipped by name. */
const sealedTest = !hasNamespaces ? test.skip : test;

sealedTest(
  'R6: sealed checks see the work at its own path, dependencies as they were, and nothing else of the user',
  async () => {
    const { write, run, prepare, home, folder } = project({
      'a.txt': 'one',
      'node_modules/dep/index.js': 'original',
      'src/run.sh': '#!/bin/sh\necho ran\n',
    });
    writeFileSync(path.join(home, 'secret'), 'x');
    const captured = await prepare('true');
    expect(captured).toMatchObject({ folders: ['node_modules'], files: 1, bytes: 8 });
    write('a.txt', 'two');
    write('node_modules/dep/index.js', 'planted');
    write('node_modules/.bin/sh', '#!/bin/true\n');
    const result = await run(
      'pwd; cat a.txt node_modules/dep/index.js; ls -A node_modules; src/run.sh; ls -A ~; echo $HOME; ls ../..',
    );
    expect(result).toMatchObject({ verdict: 'passed', proof: 'sealed', tree: { files: 2 } });
    expect(result?.checks[0]?.output).toBe(`${folder}\ntwooriginaldep\nran\nwork\n${home}\nwork\n`);
    expect(result?.warnings).toBeUndefined();
  },
);

sealedTest(
  'R6: what earlier checks left, changed or removed in the room is gone or back at the next gate',
  async () => {
    const { run, prepare } = project({ 'a.txt': 'one', 'b/c.txt': 'see', 'node_modules/dep/index.js': 'original' });
    await prepare('true');
    const spoil =
      'echo bad > a.txt; rm -r b; ln -s /etc b; echo bad > node_modules/dep/index.js; touch node_modules/new ~/left /tmp/left';
    expect(await run(spoil)).toMatchObject({
      verdict: 'unverifiable',
      checks: [{ output: expect.stringContaining('the checks changed files of the work: a.txt, b/c.txt') }],
    });
    const result = await run('cat a.txt b/c.txt node_modules/dep/index.js; ls node_modules ~ /tmp; find . | sort');
    expect(result?.checks[0]?.output).toMatch(/^oneseeoriginal[^]*\/tmp:\n[^]*\nnode_modules:\ndep\n\.\n\.\/a\.txt\n/);
    expect(result?.checks[0]?.output).not.toContain('left');
  },
);

sealedTest('R6: files that come, go, and change places with folders are followed from gate to gate', async () => {
  const { write, run, prepare, at } = project({ 'a/b.txt': 'one', 'c.txt': 'sea' });
  await prepare('true');
  expect((await run('find . -type f | sort'))?.checks[0]?.output).toBe('./a/b.txt\n./c.txt\n');
  rmSync(at('a'), { recursive: true });
  rmSync(at('c.txt'));
  write('a', 'now a file');
  write('c.txt/d', 'now a folder');
  expect((await run('find . | sort'))?.checks[0]?.output).toBe('.\n./a\n./c.txt\n./c.txt/d\n');
});

sealedTest('R6: a link that leads out of the work tree is refused by name, and the agent can remove it', async () => {
  const { run, prepare, at } = project({ 'a.txt': 'one' });
  await prepare('true');
  symlinkSync('/etc/passwd', at('out'));
  const result = await run('true');
  expect(result).toMatchObject({ verdict: 'unverifiable', proof: 'sealed' });
  expect(result?.obstacle).toBeUndefined();
  expect(result?.checks[0]?.output).toBe('Not run. out is a link that leads out of the work tree.\n');
  rmSync(at('out'));
  expect(await run('true')).toMatchObject({ verdict: 'passed' });
});

sealedTest('R6: a work tree that changes while the checks run proves nothing', async () => {
  const { run, prepare, at, write } = project({ 'a.txt': 'one' });
  await prepare('true');
  // From outside, as a process left by the agent would: the checks themselves cannot reach the work tree.
  const changing = setInterval(() => write('a.txt', `${Date.now()}`), 20);
  onTestFinished(() => clearInterval(changing));
  const result = await run('sleep 0.3');
  clearInterval(changing);
  expect(result).toMatchObject({ verdict: 'unverifiable' });
  expect(result?.checks[0]?.output).toContain('these files changed while the checks ran: a.txt');
  expect(existsSync(at('a.txt'))).toBe(true);
});

sealedTest('R6: with strict protection sealed checks run with the tests as they were, also outside git', async () => {
  const { write, run, prepare, at } = project({ 'src.txt': 'x', 'tests/a.sh': 'echo original' }, { protect: 'strict' });
  await prepare('true');
  write('tests/a.sh', 'echo edited');
  write('tests/new.sh', 'echo new');
  expect((await run('for each in tests/*; do sh $each; done'))?.checks[0]?.output).toBe('original\n');
  rmSync(at('tests'), { recursive: true });
  expect((await run('sh tests/a.sh'))?.checks[0]?.output).toBe('original\n');
});

sealedTest('R6: a damaged snapshot is an obstacle that names the file and the way out', async () => {
  const { run, prepare, gates, setting, idle } = project({ 'a.txt': 'one', 'node_modules/dep/index.js': 'original' });
  const { id, digest } = await prepare('true');
  expect(await run('true')).toMatchObject({ verdict: 'passed' });
  writeFileSync(path.join(gates, setting.loopId, id, 'tree/node_modules/dep/index.js'), 'planted!');
  // This owner still has its own intact copy; the next one must use the damaged one.
  expect(await run('grep original node_modules/dep/index.js')).toMatchObject({ verdict: 'passed' });
  const next = createGate({ ...setting, environment: { id, digest } });
  await next.tidy(false);
  const task = { checks: ['true'], guards: [], purpose: 'gate', isRepeat: false } as const;
  const result = await next.run(task, idle);
  expect(result).toMatchObject({ verdict: 'unverifiable', obstacle: { code: 'ENVIRONMENT_DAMAGED' } });
  expect(result?.obstacle?.message).toContain('tree/node_modules/dep/index.js');
  writeFileSync(path.join(gates, setting.loopId, id, 'manifest.json'), '{}');
  const later = await createGate({ ...setting, environment: { id, digest } }).run(task, idle);
  expect(later).toMatchObject({ verdict: 'unverifiable', obstacle: { code: 'ENVIRONMENT_DAMAGED' } });
  await next.tidy(true);
  expect(readdirSync(gates)).toEqual([]);
});

sealedTest(
  'R6: settings in the home are those of the start, and a changed program of the user is an obstacle',
  async () => {
    const { run, prepare, home, setting } = project({ 'a.txt': 'one' });
    mkdirSync(path.join(home, 'bin'));
    writeFileSync(path.join(home, 'bin/tool'), '#!/bin/sh\necho honest\n', { mode: 0o755 });
    writeFileSync(path.join(home, '.npmrc'), 'start=1');
    Object.assign(setting.env, { PATH: `${home}/bin:${setting.env.PATH}` });
    await prepare('tool');
    writeFileSync(path.join(home, '.npmrc'), 'script-shell=/bin/true');
    writeFileSync(path.join(home, '.bashrc'), 'exit 0');
    expect((await run('tool; cat ~/.npmrc; ls -A ~'))?.checks[0]?.output).toBe('honest\nstart=1.npmrc\nbin\nwork\n');
    writeFileSync(path.join(home, 'bin/cat'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const result = await run('tool');
    expect(result).toMatchObject({ verdict: 'unverifiable', obstacle: { code: 'OUTSIDE_CHANGED' } });
    expect(result?.obstacle?.message).toContain('bin/cat (new)');
  },
);

sealedTest('R6: nothing of a sealed check outlives it, and its exit codes are those of the check', async () => {
  const { run, prepare } = project({ 'a.txt': 'one' });
  await prepare('true');
  const result = await run('setsid sleep 1000 & exit 3', ['no-such-program'], 'no-such-program');
  expect(result?.checks).toMatchObject([
    { verdict: 'failed', exitCode: 3 },
    { verdict: 'not_found', exitCode: 127 },
    { verdict: 'not_found', exitCode: 127 },
  ]);
});

test('R6: without namespaces the checks run beside the work tree with their own home, and a warning says so', async () => {
  const { write, run, prepare, folder, home } = project(
    { 'a.txt': 'one', 'node_modules/dep/index.js': 'original', '.venv/bin/tool': '#!/bin/sh\necho honest\n' },
    {},
    { isolated: false },
  );
  write('.venv/bin/by-path', `#!${folder}/.venv/bin/tool\n`);
  await prepare('true');
  write('.venv/bin/tool', '#!/bin/sh\necho planted\n');
  write('node_modules/dep/index.js', 'planted');
  const result = await run(
    'cat a.txt node_modules/dep/index.js; .venv/bin/tool; head -1 .venv/bin/by-path; echo $HOME; pwd',
  );
  expect(result).toMatchObject({ verdict: 'passed', proof: 'sealed' });
  expect(result?.warnings?.[0]).toContain('without their own namespaces (bubblewrap (bwrap) is not installed)');
  const output = result?.checks[0]?.output ?? '';
  expect(output).toContain('oneoriginalhonest\n');
  expect(output).not.toContain(`#!${folder}`);
  expect(output).not.toContain(`${home}\n`);
});
