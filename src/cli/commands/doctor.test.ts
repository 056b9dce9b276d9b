import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckRow } from '../../app/index.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';
import { standInPath } from '../testing/stand-ins.ts';

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
