import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Ended } from '../testing/command-line.ts';

interface Stranger {
  readonly line: CommandLine;
  readonly home: string;
  ralphd(...args: readonly string[]): Promise<Ended>;
  run(...more: readonly string[]): Promise<number>;
}

/** A project that its user has not trusted yet. */
function stranger(settings = 'verify: [./check.sh]\n'): Stranger {
  const line = createCommandLine();
  const home = path.join(line.folder, 'own');
  if (settings !== '') line.write('ralphd.yml', settings);
  const ralphd = async (...args: readonly string[]) => await line.run(args, { HOME: home });
  const usual = ['--agent-command', './agent.sh', '--delay', '0', '--no-baseline', '--json'];
  return { line, home, ralphd, run: async (...more) => (await ralphd('run', 'Do it', ...usual, ...more)).code };
}

const trustFolder = (home: string) => path.join(home, '.local/state/ralphd/trust');
const grants = (home: string) => readdirSync(trustFolder(home)).map((name) => path.join(trustFolder(home), name));

test('trust shows what a project brings, grants it, and asks again when it changes', async () => {
  const { line, ralphd, run } = stranger();
  expect((await ralphd('trust')).stdout.replace(realpathSync(line.folder), 'PROJECT')).toMatchInlineSnapshot(`
    "runs
      ralphd.yml:1:10  verify
        | ./check.sh

    PROJECT: not trusted yet
      next: ralphd trust grant
    "
  `);
  expect(await run()).toBe(78);
  expect(line.has('done')).toBe(false);
  expect((await ralphd('trust', 'grant')).stdout).toContain('Trusted from now on');
  expect(await run()).toBe(0);
  line.write('ralphd.yml', '# only a comment\nmodel: opus\nverify: [./check.sh]\n');
  expect(await run()).toBe(0);
  line.write('ralphd.yml', 'verify: [./check.sh, touch evil]\n');
  expect(await run()).toBe(78);
  expect(line.has('evil')).toBe(false);
});

test('less than what is trusted is trusted, and a mixture of two grants is not', async () => {
  const { line, ralphd, run } = stranger('verify: [./check.sh, "true"]\n');
  await ralphd('trust', 'grant');
  line.write('ralphd.yml', 'verify: [./check.sh]\n');
  expect(await run()).toBe(0);
  line.write('ralphd.yml', 'verify: ["true"]\niteration: { env: { A: b } }\n');
  await ralphd('trust', 'grant');
  line.write('ralphd.yml', 'verify: [./check.sh]\niteration: { env: { A: b } }\n');
  expect(await run()).toBe(78);
});

test('a copy elsewhere is not trusted, a linked worktree is, and one that only claims to be is not', async () => {
  const { line, home, ralphd } = stranger();
  await ralphd('trust', 'grant');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: line.folder,
      env: { HOME: home },
    });
  git('init', '-q');
  git('add', 'ralphd.yml', 'agent.sh', 'check.sh');
  git('commit', '-qm', 'first');
  git('worktree', 'add', '-q', 'linked');
  const [copy, liar] = ['copy', 'liar'].map((name) => path.join(line.folder, 'own', name));
  for (const folder of [copy, liar])
    cpSync(path.join(line.folder, 'ralphd.yml'), path.join(folder ?? '', 'ralphd.yml'));
  cpSync(path.join(line.folder, 'linked/.git'), path.join(liar ?? '', '.git'));
  const isTrusted = async (folder = '') =>
    JSON.parse((await line.run(['trust', '--json'], { HOME: home }, folder)).stdout) as object;
  expect(await isTrusted(copy)).toMatchObject({ projects: [{ trusted: false }] });
  expect(await isTrusted(liar)).toMatchObject({ projects: [{ trusted: false }] });
  expect(await isTrusted(path.join(line.folder, 'linked'))).toMatchObject({ projects: [{ trusted: true }] });
});

test('trust is listed, and revoked for a folder and all in it', async () => {
  const { line, ralphd, run } = stranger();
  await ralphd('trust', 'grant', '--always');
  line.write('ralphd.yml', 'verify: ["true"]\n');
  expect(await run()).toBe(0);
  expect((await ralphd('trust', 'list')).stdout).toContain('everything in it');
  // The folder and the loop that ran.
  expect(JSON.parse((await ralphd('trust', 'revoke', '--json')).stdout)).toMatchObject({ revoked: [{}, {}] });
  expect(await run()).toBe(78);
  expect((await ralphd('trust', 'list')).stdout).toBe('You trust no project yet.\n');
});

test('what is trusted is written for the user alone, and a damaged or foreign file grants nothing', async () => {
  const { home, ralphd, run } = stranger();
  await ralphd('trust', 'grant');
  const [file = ''] = grants(home);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(trustFolder(home)).mode & 0o777).toBe(0o700);
  const text = readFileSync(file, 'utf8');
  for (const damaged of ['', '{}', 'null', text.replace('"version":1', '"version":2'), text.slice(0, -5)]) {
    writeFileSync(file, damaged);
    expect(await run(), damaged).toBe(78);
  }
});

test('a loop that the user started is resumed without a question', async () => {
  const { line, ralphd, run } = stranger('');
  const id = 'ralph-x-a1b2c3d4';
  const check = ['--verify', 'test -f later', '-n', '1', '--on-limit', 'pause', '--loop-id', id];
  expect(await run(...check)).toBe(2);
  line.write('later', '');
  expect((await ralphd('resume', id, '-n', '2', '--json')).code).toBe(0);
});

test('resume --reload asks about what it takes over from the file', async () => {
  const { line, ralphd, run } = stranger('');
  expect(
    await run('--no-auto-test', '--agent-command', 'false', '--verify', './check.sh', '-n', '1', '--on-limit', 'pause'),
  ).toBe(2);
  line.write('ralphd.yml', 'iteration: { env: { BASH_ENV: evil } }\n');
  expect((await ralphd('resume', '--reload', '-n', '2')).stderr).toContain('PROJECT_NOT_TRUSTED');
  expect((await ralphd('resume', '-n', '2')).stderr).not.toContain('PROJECT_NOT_TRUSTED');
});

test('commands that only look start no program that a project names', async () => {
  const { line, ralphd } = stranger('agents: { claude: { command: ./evil.sh } }\n');
  line.write('evil.sh', '#!/bin/sh\ntouch evil\n');
  chmodSync(path.join(line.folder, 'evil.sh'), 0o755);
  for (const args of [['doctor'], ['agents'], ['config', 'show'], ['init', '--dry-run'], ['trust'], ['trust', 'grant']])
    await ralphd(...args);
  expect(line.has('evil')).toBe(false);
  expect((await ralphd('agents')).stderr).toBe('');
});

test('the file that init has just written is trusted, unless a check in it is that of the project', async () => {
  const plain = stranger('');
  mkdirSync(path.join(plain.line.folder, 'bin'));
  plain.line.write('bin/codex', '#!/bin/sh\n');
  chmodSync(path.join(plain.line.folder, 'bin/codex'), 0o755);
  const env = { HOME: plain.home, PATH: `${plain.line.folder}/bin:/usr/bin:/bin` };
  await plain.line.run(['init'], env);
  const trusted = async (line: CommandLine, more: NodeJS.ProcessEnv) =>
    JSON.parse((await line.run(['trust', '--json'], more)).stdout) as object;
  expect(await trusted(plain.line, env)).toMatchObject({ projects: [{ trusted: true, lines: [{ text: 'codex' }] }] });
  const tested = stranger('');
  tested.line.write('Makefile', 'test:\n\ttouch evil\n');
  await tested.ralphd('init');
  expect(await trusted(tested.line, { HOME: tested.home })).toMatchObject({ projects: [{ trusted: false }] });
});

test('without a place to remember it, a project is trusted only for one command', async () => {
  const { line } = stranger();
  const bare = { HOME: undefined };
  expect((await line.run(['trust', 'grant'], bare)).stderr).toContain('TRUST_NOT_KEPT');
  const run = ['run', 'Do it', '--agent-command', './agent.sh', '--delay', '0', '--no-baseline', '--json'];
  expect((await line.run(run, bare)).code).toBe(78);
  expect((await line.run([...run, '--trust-project'], bare)).code).toBe(0);
});
