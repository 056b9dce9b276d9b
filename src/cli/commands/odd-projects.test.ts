import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckRow } from '../../app/index.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';
import { putFiles, standInFolder, standInPath } from '../testing/stand-ins.ts';

type Files = Readonly<Record<string, string>>;

const manifest = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });
const target = 'test:\n\ttrue\n';

/** What `init` says about a project, without its title. */
async function found(files: Files): Promise<string> {
  const line = createCommandLine();
  putFiles(line.folder, files);
  const { code, stdout } = await line.run(['init'], { PATH: standInPath(['npm', 'yarn', 'cargo']) });
  expect(code).toBe(0);
  return stdout;
}

test.each<[string, Files, string]>([
  ['a manifest that is no JSON', { 'package.json': '{ "scripts": ' }, 'checks   none: package.json is not valid JSON'],
  [
    "npm's placeholder",
    { 'package.json': manifest('echo "Error: no test specified" && exit 1') },
    'checks   none: the "test" script in package.json is only a placeholder',
  ],
  [
    'a script that watches',
    { 'package.json': manifest('vitest watch') },
    'checks   none: the "test" script in package.json waits for changes and never ends',
  ],
  [
    'a script that watches, with another one for machines',
    { 'package.json': JSON.stringify({ scripts: { test: 'mocha -w', 'test:ci': 'mocha' } }) },
    'checks   npm run test:ci',
  ],
  [
    'a script that watches without a flag',
    { 'package.json': manifest('ng test') },
    'checks   npm test -- --watch=false',
  ],
  ['a mark before the JSON', { 'package.json': `\uFEFF${manifest('node --test')}\r\n` }, 'checks   npm test'],
  [
    'two lock files',
    { 'package.json': manifest('x'), 'package-lock.json': '{}', 'yarn.lock': '' },
    'checks   yarn test',
  ],
  [
    'packages that are not installed',
    { 'package.json': manifest('x', { devDependencies: { vitest: '5' } }), 'package-lock.json': '{}' },
    'next: npm ci && ralphd run "TASK"',
  ],
  [
    'a target that make takes for done',
    { Makefile: target, test: '' },
    'checks   none: make takes "test" in Makefile for done, because a file or folder has that name: add ".PHONY: test"',
  ],
  ['a variable called test', { Makefile: 'test ::= 1\n' }, 'checks   none: no tests found'],
  ['a recipe with a longer name', { justfile: 'test-unit:\n  true\n' }, 'checks   none: no tests found'],
  [
    'a Cargo workspace with a package at its top',
    { 'Cargo.toml': '[package]\nname = "x"\n[workspace]\nmembers = ["a"]\n', 'a/src/lib.rs': '#[test] fn a() {}' },
    'checks   cargo test --workspace',
  ],
  [
    'folders with spaces and quotes',
    { 'my app/Makefile': target, "it's/Makefile": target },
    "checks   cd 'it'\\''s' && make test\n           cd 'my app' && make test\n",
  ],
  [
    'more projects than anybody wants to check each time',
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`app-${index}/Makefile`, target])),
    'and 2 more projects with tests, which are left out',
  ],
  ['a file where loops would be', { Makefile: target, '.ralph': '' }, 'state    .ralphd, because'],
])('init understands %s', async (_name, files, shown) => {
  expect(await found(files)).toContain(shown);
});

test('init reads a manifest and a prompt through links, and an empty prompt is no task', async () => {
  const line = createCommandLine();
  putFiles(line.folder, {
    'shared/package.json': manifest('node --test'),
    'shared/task.md': 'Fix it.\n',
    'PROMPT.md': '\n',
  });
  symlinkSync('shared/package.json', path.join(line.folder, 'package.json'));
  const env = { PATH: standInPath(['npm']) };
  const empty = await line.run(['init', '--dry-run'], env);
  expect(empty.stderr).toContain('checks   npm test\n  task     no prompt file or task list found\n');
  symlinkSync('shared/task.md', path.join(line.folder, 'prompt.md'));
  expect((await line.run(['init', '--dry-run'], env)).stderr).toContain('task     prompt.md\n');
});

test('a check in a folder whose name has spaces and quotes runs as it was written', async () => {
  const line = createCommandLine();
  putFiles(line.folder, { "it's my app/Makefile": 'test:\n\ttest -f ../done\n' });
  const env = { PATH: standInPath([]) };
  await line.run(['init'], env);
  const { code } = await line.run(['run', 'x', '--delay', '0'], env);
  expect(code).toBe(0);
});

test('the configuration of a project above is named, and does not apply', async () => {
  const line = createCommandLine();
  execFileSync('git', ['init', '-q', line.folder]);
  putFiles(line.folder, { 'ralphd.yml': 'agent: codex\n', 'apps/web/Makefile': target });
  const { stdout } = await line.run(['init'], { PATH: standInPath([]) }, path.join(line.folder, 'apps/web'));
  expect(stdout).toContain('note     ../../ralphd.yml does not apply to loops that start in this folder');
});

test('init writes nothing among the files of git itself', async () => {
  const line = createCommandLine();
  execFileSync('git', ['init', '-q', '--bare', path.join(line.folder, 'bare')]);
  const folder = path.join(line.folder, 'bare');
  const before = readdirSync(folder);
  const { code, stdout, stderr } = await line.run(['init'], {}, folder);
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toContain('GIT_FOLDER');
  expect(readdirSync(folder)).toEqual(before);
  const { git } = await rowsOf(line, {}, folder);
  expect(git).toMatchObject({ level: 'warning', what: expect.stringContaining('bare repository') });
});

test('a configuration that is a link is used, left alone by init, and reported if it leads nowhere', async () => {
  const line = createCommandLine();
  line.write('shared.yml', 'agent: gemini\n');
  symlinkSync('shared.yml', path.join(line.folder, 'ralphd.yml'));
  expect((await line.run(['config', 'show'])).stdout).toContain('gemini');
  expect(await line.run(['init'])).toMatchObject({ code: 78, stderr: expect.stringContaining('CONFIG_EXISTS') });
  const lost = createCommandLine();
  symlinkSync('nowhere.yml', path.join(lost.folder, 'ralphd.yml'));
  const { code, stderr } = await lost.run(['run', 'x', '--trust-promise']);
  expect(code).toBe(78);
  expect(stderr).toContain('ralphd.yml cannot be read: it is a symbolic link to a file that does not exist');
});

/** The rows of a doctor's report by name; of several agents, the first. */
async function rowsOf(line: CommandLine, env: NodeJS.ProcessEnv, cwd = line.folder) {
  const { stdout } = await line.run(['doctor', '--json'], env, cwd);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly CheckRow[] };
  return Object.fromEntries(checks.toReversed().map((row) => [row.name, row]));
}

test('a program of an agent that may not be executed is named with the line that repairs it', async () => {
  const line = createCommandLine();
  const programs = standInFolder({}, ['claude']);
  chmodSync(path.join(programs, 'claude'), 0o644);
  const env = { PATH: `${programs}:/usr/bin:/bin`, ANTHROPIC_API_KEY: 'x' };
  expect((await line.run(['init', '--dry-run'], env)).stderr).toContain(`${programs}/claude is not executable`);
  line.write('ralphd.yml', 'agent: claude\n');
  const { agent } = await rowsOf(line, env);
  expect(agent).toMatchObject({ level: 'problem', what: `${programs}/claude is there but not executable` });
  execFileSync('/bin/sh', ['-c', agent?.fix ?? '']);
  expect((await rowsOf(line, env))['agent']).toMatchObject({ level: 'ok' });
});

test('an agent whose settings name a missing file or a folder gets the setting to correct', async () => {
  const line = createCommandLine();
  await line.run(['trust', 'grant', '--always']);
  line.write('ralphd.yml', 'agent: claude\nagents: { claude: { command: ./tools/claude } }\n');
  expect((await rowsOf(line, {}))['agent']).toMatchObject({
    level: 'problem',
    what: './tools/claude does not exist',
    fix: expect.stringContaining('agents.claude.command'),
  });
  putFiles(line.folder, { 'tools/claude/README.md': '' });
  expect((await rowsOf(line, {}))['agent']?.what).toContain('is a folder, not a program');
});

test('a state folder that is a file is a problem, and the doctor goes on', async () => {
  const line = createCommandLine();
  writeFileSync(path.join(line.folder, '.ralph'), '');
  const { state, disk } = await rowsOf(line, {});
  expect(state).toMatchObject({ level: 'problem', what: '.ralph is a file, not a folder' });
  expect(disk).toMatchObject({ level: 'ok' });
});

test('packages that are not installed are a warning with the command that installs them', async () => {
  const line = createCommandLine();
  line.write('package.json', manifest('vitest run', { devDependencies: { vitest: '5' } }));
  const env = { PATH: standInPath(['npm']) };
  expect((await rowsOf(line, env))['checks']).toMatchObject({ level: 'warning', fix: 'npm install' });
  putFiles(line.folder, { 'node_modules/.package-lock.json': '{}' });
  expect((await rowsOf(line, env))['checks']).toMatchObject({ level: 'ok' });
});

test('loops of AIWG are named, with or without a registry; an empty folder is not', async () => {
  const line = createCommandLine();
  const named = async () => (await line.run(['doctor'], {})).stdout;
  putFiles(line.folder, { '.aiwg/README.md': '' });
  expect(await named()).not.toContain('AIWG');
  putFiles(line.folder, { '.aiwg/ralph/loops/ralph-x-0a1b2c3d/state.json': '{}' });
  expect(await named()).toContain('· .aiwg/ralph: the state of AIWG loops, which ralphd does not touch.\n');
});

test("a loop of Claude Code's plugin that is active is named with the way to cancel it", async () => {
  const line = createCommandLine();
  putFiles(line.folder, { '.claude/ralph-loop.local.md': '---\nactive: false\n---\nx\n' });
  expect((await line.run(['doctor'], {})).stdout).not.toContain('/cancel-ralph');
  putFiles(line.folder, { '.claude/ralph-loop.local.md': '---\nactive: true\n---\nx\n' });
  expect((await line.run(['doctor'], {})).stdout).toContain('fix: Cancel it in Claude Code: /cancel-ralph.\n');
});
