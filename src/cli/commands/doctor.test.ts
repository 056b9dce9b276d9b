import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckRow, Finding } from '../../app/index.ts';
import { commandLines } from '../output/plain.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';
import { putFiles, standInPath } from '../testing/stand-ins.ts';

/** The rows of a doctor's report by name; of several agents, the first. */
async function rowsOf(line: CommandLine, env: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const { code, stdout } = await line.run(['doctor', '--json', ...args], env);
  const { checks, ok } = JSON.parse(stdout) as { readonly checks: readonly CheckRow[]; readonly ok: boolean };
  expect(ok).toBe(code === 0);
  return { code, checks, rows: Object.fromEntries(checks.toReversed().map((row) => [row.name, row])) };
}

test('doctor has one line for everything that a loop needs, and all is well in a good project', async () => {
  const line = createCommandLine();
  execFileSync('git', ['init', '-q', line.folder]);
  line.write('package.json', '{"scripts":{"test":"x"}}');
  const { code, stdout } = await line.run(['doctor'], {
    PATH: standInPath(['npm']),
    ANTHROPIC_API_KEY: 'sk-ant-not-to-be-printed',
  });
  expect(code).toBe(0);
  expect(stdout).not.toContain('not-to-be-printed');
  const shown = stdout
    .replace(/(?<=node {6})\S+/u, 'VERSION')
    .replace(/(?<=git {7})[^;]+/u, 'VERSION')
    .replace(/\S+ [GM]iB/u, 'SPACE')
    .replace(/(?<=sandbox {3}).*/u, 'SANDBOX');
  expect(shown).toMatchInlineSnapshot(`
    "✓ node      VERSION
    ✓ agent     claude 2.1.150; API key (ANTHROPIC_API_KEY)
    ✓ git       VERSION; 3 uncommitted changes
    ✓ checks    npm test
    ✓ state     .ralph does not exist yet
    ✓ disk      SPACE free
    ✓ sandbox   SANDBOX
    ✓ terminal  none: plain lines without colours
    ✓ 0 loops and 0 facts read, no problems
    "
  `);
});

test('an agent that was asked for and is missing is a problem; one that nobody asked for is a warning', async () => {
  const line = createCommandLine();
  const env = { PATH: standInPath([], ['codex']) };
  const byDefault = await rowsOf(line, env);
  expect(byDefault.rows['agent']).toMatchObject({
    level: 'warning',
    what: 'claude is not on the PATH; codex is here: --agent codex',
  });
  expect(byDefault.rows['agent']?.fix).toBe('npm install -g @anthropic-ai/claude-code');
  expect(byDefault.code).toBe(0);
  line.write('ralphd.yml', 'agent: gemini\n');
  const asked = await rowsOf(line, env);
  expect(asked.rows['agent']).toMatchObject({
    level: 'problem',
    what: expect.stringContaining('gemini is not on the PATH'),
  });
  expect(asked.code).toBe(1);
});

test('checks that cannot run are a problem with the fix that run would name; none at all is a warning', async () => {
  const line = createCommandLine();
  const none = await rowsOf(line, {});
  expect(none.rows['checks']).toMatchObject({ level: 'warning', fix: expect.stringContaining('--verify CMD') });
  line.write('ralphd.yml', 'verify: ["npm test || true"]\n');
  const masked = await rowsOf(line, {});
  expect(masked.rows['checks']).toMatchObject({ level: 'problem', fix: expect.stringContaining('npm test') });
  expect(masked.code).toBe(1);
});

test('a state folder that cannot be written is a problem', async () => {
  const { code, rows } = await rowsOf(createCommandLine(), {}, '--state-dir', 'agent.sh/state');
  expect(rows['state']).toMatchObject({ level: 'problem', fix: expect.stringContaining('--state-dir') });
  expect(code).toBe(1);
});

test('git is a warning where there is no repository or no git, and shows uncommitted changes', async () => {
  const line = createCommandLine();
  expect((await rowsOf(line, {})).rows['git']).toMatchObject({
    level: 'warning',
    fix: expect.stringContaining('git init'),
  });
  execFileSync('git', ['init', '-q', line.folder]);
  expect((await rowsOf(line, {})).rows['git']?.what).toContain('2 uncommitted changes');
  mkdirSync(path.join(line.folder, 'empty'));
  const none = await rowsOf(line, { PATH: path.join(line.folder, 'empty') });
  expect(none.rows['git']).toMatchObject({ level: 'warning', what: expect.stringContaining('not installed') });
});

test('every fix for a file of a loop works when it is pasted', async () => {
  const line = createCommandLine();
  const id = 'ralph-fix-a1b2c3d4';
  const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh'];
  await line.run(['run', 'x', ...agent, '--delay', '0', '--no-baseline', '--loop-id', id]);
  const root = path.join(line.folder, '.ralph');
  const loop = path.join(root, 'loops', id);
  const harms: readonly (readonly [string, () => void])[] = [
    ['Other users of this machine can read or change it.', () => chmodSync(path.join(loop, 'state.json'), 0o644)],
    ['It is a symbolic link, which ralphd never follows.', () => moveBehindLink(path.join(loop, 'state.json'))],
    ['It is a symbolic link, which ralphd never follows.', () => moveBehindLink(path.join(loop, 'iterations'))],
    ['It is neither a file nor a folder.', () => execFileSync('mkfifo', ['-m', '600', path.join(loop, 'strange')])],
    ['The registry cannot be read.', () => writeFileSync(path.join(root, 'registry.json'), '{')],
  ];
  for (const [what, harm] of harms) {
    harm();
    const found = await problemsIn(line);
    expect(found).toMatchObject([{ what }]);
    await paste(found[0]?.fix ?? '', line);
    expect(await problemsIn(line), what).toEqual([]);
  }
});

async function problemsIn(line: CommandLine): Promise<readonly Finding[]> {
  const { stdout } = await line.run(['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  return findings.filter(({ level }) => level === 'problem');
}

async function paste(fix: string, line: CommandLine): Promise<void> {
  if (fix.startsWith('ralphd ')) expect((await line.run(fix.split(' ').slice(1))).code).toBe(0);
  else execFileSync('/bin/sh', ['-ec', fix], { cwd: line.folder });
}

function moveBehindLink(file: string): void {
  renameSync(file, `${file}.elsewhere`);
  symlinkSync(`${file}.elsewhere`, file);
}

test('a repository that git refuses is named with the line that makes git accept it', async (context) => {
  if (process.getuid?.() !== 0) context.skip('only root can give a folder to another user');
  const line = createCommandLine();
  execFileSync('git', ['init', '-q', line.folder]);
  chownSync(line.folder, 12_345, 12_345);
  const { git } = (await rowsOf(line, {})).rows;
  expect(git).toMatchObject({ level: 'warning', what: expect.stringContaining('belongs to another user') });
  const env = { PATH: '/usr/bin:/bin', HOME: path.join(line.folder, 'home') };
  mkdirSync(env.HOME);
  execFileSync('/bin/sh', ['-ec', git?.fix ?? ''], { env });
  expect((await rowsOf(line, {})).rows['git']).toMatchObject({ level: 'ok' });
});

test('a command in a fix is broken only where a shell reads on', async () => {
  const line = createCommandLine();
  const programs = path.join(line.folder, 'a folder with a long name, and another', 'bin');
  putFiles(programs, { claude: '' });
  chmodSync(path.join(programs, 'claude'), 0o644);
  line.write('ralphd.yml', 'agent: claude\n');
  const { rows } = await rowsOf(line, { PATH: `${programs}:/usr/bin:/bin` });
  expect(commandLines(rows['agent']?.fix ?? '', 60)).toEqual(['chmod +x \\', `  '${programs}/claude'`]);
});
