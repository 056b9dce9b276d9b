import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isLoopId, scrub, slugLoopId } from '../base/index.ts';
import { createCommandLine, type Ended } from './testing/command-line.ts';

const usual = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh', '--delay', '0'];

function runOf(...more: readonly string[]): readonly string[] {
  return ['run', 'x', ...usual, ...more];
}

/** One clear error of a bounded size, without a stack and without anything that a terminal obeys. */
function expectClearError({ stderr, code }: Ended, expected: { readonly exit: number; readonly code: string }): void {
  expect(stderr).toContain(`  code: ${expected.code}\n`);
  expect(stderr).toMatch(/^ralphd: .+\n {2}next: .+\n/s);
  expect(stderr).not.toMatch(/\n\s+at |node:internal/);
  expect(stderr).toBe(scrub(stderr));
  expect(stderr.length).toBeLessThan(5_000);
  expect(code).toBe(expected.exit);
}

const long = 'A'.repeat(100_000);
const aliases = ['&b', '&c', '&d', '&e', '&f', '&g', '&h'];
/** Each line repeats the one before nine times. */
const aliasBomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...aliases.map((anchor, index) => {
    const before = index === 0 ? '*a' : (aliases[index - 1]?.replace('&', '*') ?? '');
    return `${anchor.slice(1)}: ${anchor} [${Array(9).fill(before).join(', ')}]`;
  }),
].join('\n');

test.each<[string, readonly string[], number, string]>([
  ['an id that leaves the folder', ['status', '../x'], 64, 'LOOP_NOT_FOUND'],
  ['an absolute id', ['explain', '/etc/passwd'], 64, 'LOOP_NOT_FOUND'],
  ['an id with control characters', ['pause', '\u001b[31mred\u202e'], 64, 'LOOP_NOT_FOUND'],
  ['a very long id', ['backup', long], 64, 'LOOP_NOT_FOUND'],
  ['an id named like a device', ['recover', 'CON'], 64, 'LOOP_NOT_FOUND'],
  ['an id named like a property of every object', ['export', '__proto__'], 64, 'LOOP_NOT_FOUND'],
  ['a huge number', runOf('-n', '9'.repeat(40)), 64, 'BAD_VALUE'],
  ['a number beyond all numbers', runOf('--max-iterations', '1e999'), 64, 'BAD_VALUE'],
  ['a duration beyond all times', runOf('--max-time', '99999999999999d'), 64, 'BAD_VALUE'],
  ['a promise that nobody can see', runOf('--completion-promise', '\u001b\u202e'), 64, 'BAD_VALUE'],
  ['a promise of 100,000 characters', runOf('--completion-promise', long), 64, 'BAD_VALUE'],
  ['an agent with control characters', ['run', 'x', '--agent', '\u001b[31m'], 64, 'BAD_VALUE'],
  ['a very long program', runOf('--agent-command', long), 78, 'AGENT_NOT_FOUND'],
  ['a very long check', runOf('--verify', long), 78, 'CRITERION_NOT_A_COMMAND'],
  ['a very long state folder', runOf('--state-dir', long), 78, 'STATE_DIR_NOT_WRITABLE'],
  ['a variable named like a property of every object', runOf('--var', '__proto__=x'), 64, 'BAD_VALUE'],
  ['a configuration that never ends', ['status', '--config', '/dev/zero'], 78, 'CONFIG_UNREADABLE'],
  ['a proof that never ends', ['proof', 'verify', '/dev/zero'], 78, 'PROOF_UNREADABLE'],
  ['a proof that is a folder', ['proof', 'verify', '.'], 64, 'FILE_UNREADABLE'],
  ['a stream that is a folder', ['parse-agent', 'claude', '.'], 64, 'FILE_UNREADABLE'],
  ['help on what is no command', ['help', 'stauts'], 64, 'UNKNOWN_COMMAND'],
  ['a demo in a folder with files', ['demo', '--dir', '.'], 1, 'DEMO_NOT_SET_UP'],
  ['a self-test with an unknown scenario', ['selftest', '--only', 'kill'], 64, 'BAD_VALUE'],
  ['a self-test with a seed that is no number', ['selftest', '--seed', 'x'], 64, 'BAD_VALUE'],
  ['a demo in a file', ['demo', '--dir', 'agent.sh'], 1, 'DEMO_NOT_SET_UP'],
])('%s on the command line gets a clear error, and nothing is written', async (_what, args, exit, code) => {
  const line = createCommandLine();
  expectClearError(await line.run(args), { exit, code });
  for (const name of ['.ralph', '.git', 'heard']) expect(line.has(name), name).toBe(false);
});

test.each<[string, string | Uint8Array, string]>([
  ['malformed', 'agent: [claude\n', 'CONFIG_NOT_YAML'],
  ['a bomb of aliases', aliasBomb, 'CONFIG_NOT_YAML'],
  ['a setting given twice', 'agent: claude\nagent: codex\n', 'CONFIG_NOT_YAML'],
  ['nested without end', `verify: ${'['.repeat(3_000)}${']'.repeat(3_000)}\n`, 'CONFIG_NOT_YAML'],
  ['a value of a foreign type', 'agent: !!js/function "x"\n', 'CONFIG_NOT_YAML'],
  ['two documents', 'agent: claude\n---\nagent: codex\n', 'CONFIG_NOT_YAML'],
  ['a key that every object has', '__proto__: {agent: claude}\n', 'CONFIG_UNKNOWN_KEY'],
  ['a number beyond all numbers', 'maxIterations: 1e999\n', 'CONFIG_BAD_VALUE'],
  ['a NUL in an argument', 'agentArgs: ["a\\0b"]\n', 'CONFIG_BAD_VALUE'],
  ['a NUL in a path', 'stateDir: "a\\0b"\n', 'CONFIG_BAD_VALUE'],
  ['a list', '- agent\n', 'CONFIG_BAD_VALUE'],
  ['no text', Buffer.from([0xff, 0xfe, 0x61]), 'CONFIG_UNREADABLE'],
])('a ralphd.yml that is or has %s gets a clear error, and nothing is written', async (_what, content, code) => {
  const line = createCommandLine();
  writeFileSync(path.join(line.folder, 'ralphd.yml'), content);
  expectClearError(await line.run(runOf()), { exit: 78, code });
  expect(line.has('.ralph')).toBe(false);
});

test.each<[string, string | Uint8Array, string]>([
  ['malformed front matter', '---\nname: [a\n---\nx\n', 'PROMPT_NOT_YAML'],
  ['a bomb of aliases', `---\n${aliasBomb}\n---\nx\n`, 'PROMPT_NOT_YAML'],
  ['a key given twice', '---\nname: a\nname: b\n---\nx\n', 'PROMPT_NOT_YAML'],
  ['a variable that every object has', '---\nrequired_vars: [__proto__]\n---\nx\n', 'PROMPT_BAD_VALUE'],
  ['an include with control characters', '{{include:\u001b[31m}}', 'PROMPT_INCLUDE_UNREADABLE'],
  ['an include of a foreign file', '{{include:/etc/passwd}}', 'PROMPT_INCLUDE_OUTSIDE'],
  ['no text', Buffer.from([0xff, 0xfe, 0x61]), 'PROMPT_UNREADABLE'],
])('a prompt with %s gets a clear error, and nothing is written', async (_what, content, code) => {
  const line = createCommandLine();
  writeFileSync(path.join(line.folder, 'PROMPT.md'), content);
  expectClearError(await line.run(['run', ...usual]), { exit: 78, code });
  expect(line.has('.ralph')).toBe(false);
});

test.each([
  ['RALPHD_MAX_ITERATIONS', '\u001b[31m'],
  ['RALPHD_AGENT', long],
  ['RALPHD_MAX_TIME', '1e9'],
  ['RALPHD_VARS', '__proto__=1'],
])('a bad value of %s gets a clear error, and nothing is written', async (variable, value) => {
  const line = createCommandLine();
  const args = ['run', 'x', '--verify', './check.sh'];
  expectClearError(await line.run(args, { [variable]: value }), { exit: 78, code: 'CONFIG_BAD_VALUE' });
  expect(line.has('.ralph')).toBe(false);
});

test.each(['../x', '/etc/passwd', '..', 'CON', 'ra\u04cfph', '\u001b[31mred', '__proto__', '*', 'a\0b', long])(
  'a loop that is to be called %j gets a safe id',
  (name) => {
    const id = slugLoopId(name, '0a1b2c3d-0000-4000-8000-000000000000');
    expect(id).toMatch(/^ralph-[a-z0-9-]{1,40}-[0-9a-f]{8}$/);
    expect(isLoopId(id)).toBe(true);
  },
);
