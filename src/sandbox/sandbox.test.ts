import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasNamespaces } from '../../test/support/system.ts';
import type { LoopError } from '../base/index.ts';
import { runToEnd } from '../process/index.ts';
import { checkConfig, configSchema, type LoopConfigInput } from '../protocol/index.ts';
import { openSandbox } from './sandbox.ts';

const enclosedTest = test.skipIf(!hasNamespaces).each([['on']] as const);

test('settings that a sandbox cannot keep, or that mean nothing without one, are refused', () => {
  const codes = (settings: LoopConfigInput) => checkConfig(configSchema.parse(settings)).map(({ code }) => code);
  expect(codes({ sandbox: 'on', network: ['example.com'] })).toEqual(['NETWORK_WITHOUT_SANDBOX']);
  expect(codes({ sandbox: 'on', iteration: { keepProcesses: ['postgres'] } })).toEqual(['SANDBOX_KEEPS_NOTHING']);
  expect(codes({ hooks: [{ name: 'x', at: ['on_error'], run: 'x', sandbox: true }] })).toEqual([
    'HOOK_WITHOUT_SANDBOX',
  ]);
  expect(codes({ sandbox: 'strict', network: ['*.example.com', 'db:5432', '[::1]:80'] })).toEqual([]);
  expect(() => configSchema.parse({ network: ['http://example.com'] })).toThrow(/a host such as/);
});

enclosedTest('a sandbox that could not protect anything is refused before anything runs (%s)', async (sandbox) => {
  const place = layOut();
  await expect(place.open({ sandbox }, { home: place.work })).rejects.toMatchObject({
    failure: { code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('contains your home folder') as string },
  });
  await expect(place.open({ sandbox: 'strict' }, { proxy: 'socks5://127.0.0.1:9' })).rejects.toMatchObject({
    failure: { code: 'SANDBOX_UNAVAILABLE', hint: expect.stringContaining('http://') as string },
  });
  renameSync(path.join(place.work, '.git'), path.join(place.root, 'git'));
  symlinkSync(path.join(place.root, 'git'), path.join(place.work, '.git'));
  await expect(place.open({ sandbox })).rejects.toMatchObject({
    failure: { message: expect.stringContaining('.git is a symbolic link') as string },
  });
});

enclosedTest(
  'a linked worktree can commit, but not change hooks, settings or where git looks (%s)',
  async (sandbox) => {
    const place = layOut();
    place.git('worktree', 'add', '-q', '-b', 'other', path.join(place.root, 'linked'));
    const linked = path.join(place.root, 'linked');
    const { run } = await place.open({ sandbox }, { work: linked });
    const output = await run(
      `touch new && git add new && git -c user.name=a -c user.email=b commit -qm new && echo committed
     git config a.b c 2> /dev/null || echo "settings stay"
     touch ${place.work}/.git/hooks/x 2> /dev/null || echo "hooks stay"
     touch ${place.work}/.git/worktrees/linked/commondir 2> /dev/null || echo "links stay"
     rm .git 2> /dev/null || echo "it stays linked"
     touch ${place.work}/x`,
    );
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['committed', 'settings stay', 'hooks stay', 'links stay', 'it stays linked']);
    expect(existsSync(path.join(place.work, 'x'))).toBe(false);
  },
);

enclosedTest(
  'what would run outside later is moved aside, and an absent repository cannot be created (%s)',
  async (sandbox) => {
    const place = layOut();
    const { run, outcome } = await place.open({ sandbox });
    await run('mkdir ../evil; echo ../evil > .git/commondir');
    expect(outcome().warnings).toEqual([expect.stringContaining(`created ${place.work}/.git/commondir`) as string]);
    expect(existsSync(path.join(place.work, '.git/commondir'))).toBe(false);
    execFileSync('mkfifo', ['rules', '.git/commondir'], { cwd: place.work });
    writeFileSync(path.join(place.work, '.git/config'), '[include]\n\tpath = ../rules\n');
    expect(await (await place.open({ sandbox })).run('echo nobody waits for a pipe')).toBe('nobody waits for a pipe\n');
    rmSync(path.join(place.work, '.git'), { recursive: true });
    const without = await place.open({ sandbox });
    expect(await without.run('git init 2>&1 | grep -c -i "read-only"')).toBe('1\n');
    without.outcome();
    expect(existsSync(path.join(place.work, '.git'))).toBe(false);
  },
);

enclosedTest(
  'a repository that an agent makes in its own folder is not the one that git finds there (%s)',
  async (sandbox) => {
    const place = layOut();
    const inner = path.join(place.work, 'inner');
    mkdirSync(inner);
    const first = await place.open({ sandbox }, { work: inner });
    await first.run('git init -q', 'adopted');
    expect(existsSync(path.join(inner, '.git'))).toBe(true);
    // Whoever takes the run over has not started it.
    const { outcome } = await place.open({ sandbox }, { work: inner });
    expect(outcome('adopted').warnings).toEqual([expect.stringContaining(`created ${inner}/.git`) as string]);
    expect(existsSync(path.join(inner, '.git'))).toBe(false);
  },
);

enclosedTest('what only looks at a work tree can change nothing there (%s)', async (sandbox) => {
  const place = layOut();
  const { look } = await place.open({ sandbox });
  const tried = await look('cat $HOME/.ssh/key; touch x .git/x || git log --format=%s');
  expect(tried.split('\n').filter((line) => !/cannot|Read-only|No such/.test(line))).toEqual(['first', '']);
});

enclosedTest('exceptions hold: further places to write, to show and to hide (%s)', async (sandbox) => {
  const place = layOut();
  for (const name of ['cache', '.ssh', 'plans']) mkdirSync(path.join(place.home, name));
  writeFileSync(path.join(place.home, '.ssh/known_hosts'), 'shown\n');
  writeFileSync(path.join(place.home, 'plans/a'), 'secret\n');
  const sandboxPaths = { write: ['~/cache'], show: ['~/.ssh'], hide: ['~/plans'] };
  const { run } = await place.open({ sandbox, sandboxPaths });
  const output = await run(
    'touch ~/cache/x && cat ~/.ssh/known_hosts; touch ~/.ssh/x ~/y 2>/dev/null || ls ~/plans; echo end',
  );
  expect(output).toBe('shown\nend\n');
  expect(existsSync(path.join(place.home, 'cache/x'))).toBe(true);
});

enclosedTest('an agent that is installed in a temporary folder starts as it does outside (%s)', async (sandbox) => {
  const place = layOut();
  const tools = realpathSync(mkdtempSync('/tmp/ralphd-tools-'));
  onTestFinished(() => rmSync(tools, { recursive: true, force: true }));
  const put = (name: string, text: string) => {
    mkdirSync(path.join(tools, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(tools, name), text, { mode: 0o755 });
    return path.join(tools, name);
  };
  symlinkSync('/bin/sh', put('python/bin/sh', '').replace(/sh$/u, 'interpreter'));
  put('lib/node_modules/agent/part.sh', 'echo part');
  const main = put(
    'lib/node_modules/agent/main.sh',
    `#!${tools}/python/bin/interpreter\n. "${tools}/lib/node_modules/agent/part.sh"\ncat "$1" "$2"\n`,
  );
  mkdirSync(path.join(tools, 'links'));
  const program = path.join(tools, 'links/agent');
  symlinkSync(main, program);
  put('checkout/package.json', '{}');
  put('checkout/prompts/more', 'more\n');
  const prompt = put('checkout/prompts/main', 'prompt\n');
  const other = put('other/file', 'private\n');
  const agentCommand: [string, ...string[]] = [program, prompt];
  const { run, hiddenPlace } = await place.open({ sandbox, agent: 'command', agentCommand }, { program });
  expect(await run(`${program} ${prompt} ${tools}/checkout/prompts/more`)).toBe('part\nprompt\nmore\n');
  const printed = await run(`exec ${other}; true`);
  expect(printed).toContain('not found');
  expect(hiddenPlace(printed)).toBe(other);
  expect(hiddenPlace(`${prompt}: not found\n${tools}/never: not found`)).toBeUndefined();
});

function layOut() {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'ralphd-sandbox-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, work] = [path.join(root, 'home'), path.join(root, 'work')];
  for (const each of [home, work]) mkdirSync(each);
  const env = { PATH: '/usr/bin:/bin', HOME: home };
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: work, env });
  git('init', '-q');
  git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-q', '--allow-empty', '-m', 'first');
  const open = async (
    settings: LoopConfigInput,
    other: { home?: string; work?: string; proxy?: string; program?: string; mac?: string } = {},
  ) => {
    const cwd = other.work ?? work;
    const own = { ...env, HOME: other.home ?? home, ...(other.proxy && { HTTPS_PROXY: other.proxy }) };
    const sandbox = await openSandbox({
      config: configSchema.parse(settings),
      workingDirectory: cwd,
      root: path.join(cwd, '.ralph'),
      own: [],
      env: own,
      home: undefined,
      others: [],
      program: other.program,
      hosts: [],
      folder: path.join(root, 'runs'),
      install: () => undefined,
      ...(other.mac !== undefined && { platform: 'darwin' as const, seatbelt: other.mac }),
    });
    if (sandbox === undefined) throw new Error('there is no sandbox');
    const printed = async (enclosed: ReturnType<typeof sandbox.enclose>) =>
      (await runToEnd({ ...enclosed, cwd })).output;
    const run = async (command: string, name?: string) =>
      await printed(sandbox.enclose({ command, env: own, cwd, name }));
    const look = async (command: string) => await printed(sandbox.encloseRead({ command, env: own, cwd }));
    return { run, look, outcome: sandbox.outcome, hiddenPlace: sandbox.hiddenPlace };
  };
  return { root, home, work, git, open };
}

test('on macOS a sandbox is refused when its profile does not hold, and a network that cannot be restricted', async () => {
  const place = layOut();
  const exec = path.join(place.root, 'sandbox-exec');
  const standIn = (text: string) => writeFileSync(exec, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const refusal = async (sandbox: 'on' | 'strict') =>
    await place.open({ sandbox }, { mac: exec }).then(
      () => 'opened',
      (error: unknown) => (error as LoopError).failure.message,
    );
  standIn('shift 2; exec "$@"');
  expect(await refusal('on')).toContain('the state can be read');
  standIn('echo "sandbox-exec: the profile is not valid" >&2; exit 65');
  expect(await refusal('on')).toContain('the profile is not valid');
  expect(await refusal('strict')).toContain('on Linux only');
});
