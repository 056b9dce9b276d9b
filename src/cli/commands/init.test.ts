import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { assertStartable } from '../../app/index.ts';
import { loadConfig } from '../../config/index.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';
import { type ProjectKind, projectKinds } from '../testing/project-kinds.ts';
import { putFiles, standInPath } from '../testing/stand-ins.ts';

const written = (line: CommandLine) => readFileSync(path.join(line.folder, 'ralphd.yml'), 'utf8');

test.each(projectKinds.map((kind) => [kind.name, kind] as const))(
  'init writes a file for %s with which a loop starts without an edit',
  async (_name, kind) => {
    const { line, env } = await initialised(kind);
    const flags = kind.task === undefined ? {} : { prompt: kind.task };
    const { config } = await loadConfig({ cwd: line.folder, env, flags });
    await expect(assertStartable(config, { cwd: line.folder, env })).resolves.toBeUndefined();
  },
);

/** A project of some kind after `init`. */
async function initialised({ files, git, programs, verify, settings = {} }: ProjectKind) {
  const line = createCommandLine();
  if (git) execFileSync('git', ['init', '-q', line.folder]);
  putFiles(line.folder, files);
  const env = { PATH: standInPath(programs), PROJECT: line.folder };
  const init = await line.run(['init'], env);
  expect(init).toMatchObject({ code: 0, stderr: '' });
  expect(init.stdout).toMatch(/^Wrote ralphd\.yml\.\n/u);
  expect(parse(written(line))).toEqual({ agent: 'claude', verify, ...settings });
  return { line, env };
}

test('an empty folder gets a file with only the agent, and the output names what is missing', async () => {
  const line = createCommandLine();
  const { code, stdout } = await line.run(['init'], { PATH: standInPath([], ['codex', 'opencode']) });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Wrote ralphd.yml.
      agent    codex (also found: opencode)
      checks   none: no tests found
      task     no prompt file or task list found
      git      no repository
      next: ralphd run "TASK" --verify CMD
    "
  `);
  expect(written(line)).toMatchInlineSnapshot(`
    "# Settings of ralphd for this project. Flags and RALPHD_* variables override them.
    # "ralphd config explain KEY" describes a setting, "ralphd config show" lists all in effect.

    # The agent; also found: opencode. Any other program: "command", with agentCommand.
    agent: codex

    # Commands that must all exit with 0 before a loop can complete.
    # Set a command here or with --verify; a loop without any check is refused.
    # verify:
    #   - ./check.sh

    # The task: put it into PROMPT.md, or run: ralphd run "TASK"

    # Often changed:
    # permissions: edit # what the agent may do without asking: ask, edit or full
    # sandbox: on # recommended where "ralphd doctor" says that it works
    # maxIterations: 100 # reaching any limit ends the loop
    # maxTime: 8h
    # maxCostUsd: 25
    "
  `);
});

test('the file of a project says what was found, in comments that fit 100 columns', async () => {
  const line = createCommandLine();
  putFiles(line.folder, projectKinds.find(({ name }) => name === 'a project with files of other tools')?.files ?? {});
  const { stdout } = await line.run(['init'], { PATH: standInPath(['npm']) });
  expect(stdout).toMatchInlineSnapshot(`
    "Wrote ralphd.yml.
      agent    claude
      checks   npm test
      task     .ralph/PROMPT.md
      git      no repository
      state    .ralphd, because .ralph belongs to another program
      other    .ralphrc (ralph-claude-code)
               ralphd does not change files of other tools
      next: ralphd run
    "
  `);
  expect(written(line)).toMatchInlineSnapshot(`
    "# Settings of ralphd for this project. Flags and RALPHD_* variables override them.
    # "ralphd config explain KEY" describes a setting, "ralphd config show" lists all in effect.

    # The agent. Any other program: "command", with agentCommand.
    agent: claude

    # Commands that must all exit with 0 before a loop can complete.
    verify:
      - npm test # from package.json

    # The file with the task, read again for each iteration; ralphd run "TASK" overrides it.
    promptPath: .ralph/PROMPT.md

    # Where loops are stored: .ralph belongs to another program.
    stateDir: .ralphd

    # Often changed:
    # permissions: edit # what the agent may do without asking: ask, edit or full
    # sandbox: on # recommended where "ralphd doctor" says that it works
    # maxIterations: 100 # reaching any limit ends the loop
    # maxTime: 8h
    # maxCostUsd: 25
    "
  `);
  expect(
    written(line)
      .split('\n')
      .filter((each) => each.length > 100),
  ).toEqual([]);
});

test('init never overwrites a configuration, whatever its ending, and changes nothing else', async () => {
  for (const name of ['ralphd.yml', 'ralphd.yaml']) {
    const line = createCommandLine();
    line.write(name, 'agent: codex\n');
    const { code, stdout, stderr } = await line.run(['init']);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain('CONFIG_EXISTS');
    expect(readFileSync(path.join(line.folder, name), 'utf8')).toBe('agent: codex\n');
    const dry = await line.run(['init', '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('agent: claude') });
  }
});

test('init --dry-run prints the file alone on stdout and writes nothing', async () => {
  const line = createCommandLine();
  const { code, stdout, stderr } = await line.run(['init', '--dry-run'], { PATH: standInPath([]) });
  expect(code).toBe(0);
  expect(parse(stdout)).toEqual({ agent: 'claude' });
  expect(stderr).toContain('next: ralphd run "TASK" --verify CMD');
  expect(line.has('ralphd.yml')).toBe(false);
});

test('init --json has the file and everything that was found', async () => {
  const line = createCommandLine();
  line.write('package.json', '{"scripts":{"test":"x"}}');
  const { stdout } = await line.run(['init', '--json'], { PATH: standInPath(['npm']) });
  expect(JSON.parse(stdout)).toEqual({
    folder: line.folder,
    file: 'ralphd.yml',
    text: written(line),
    found: {
      agents: ['claude'],
      unusableAgents: [],
      moreTests: 0,
      tests: [{ command: 'npm test', from: 'package.json', program: 'npm', hasTests: true, isInstalled: true }],
      git: 'no repository',
      otherTools: [],
      isStateTaken: false,
    },
    next: 'ralphd run "TASK"',
  });
});

test("the agent of the user's own configuration stays in force", async () => {
  const line = createCommandLine();
  putFiles(line.folder, { 'home/.config/ralphd/config.yml': 'agent: codex\n' });
  const { stdout } = await line.run(['init', '--dry-run'], { PATH: standInPath([]) });
  expect(stdout).toContain('# agent: codex');
  expect(parse(stdout)).toBeNull();
});

test('a test command whose program is missing, or without any test, is named and not used', async () => {
  const line = createCommandLine();
  line.write('Cargo.toml', '');
  const env = { PATH: standInPath(['cargo']) };
  expect((await line.run(['init', '--dry-run'], env)).stdout).toContain(
    '# "cargo test" (Cargo.toml) is used as soon as there are tests',
  );
  line.write('lib.rs', '#[test]\nfn works() {}\n');
  expect((await line.run(['init', '--dry-run'])).stdout).toContain('runs the tests, but cargo is not installed.');
});

test('a folder that cannot be written gets a clear refusal', async () => {
  const line = createCommandLine();
  const { code, stdout, stderr } = await line.run(['init'], {}, '/proc/self');
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toContain('CONFIG_NOT_WRITTEN');
  expect(existsSync('/proc/self/ralphd.yml')).toBe(false);
});
