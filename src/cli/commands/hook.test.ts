import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';

function settingsOf(line: CommandLine, name = '.claude/settings.local.json') {
  const file = path.join(line.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  return {
    file,
    put: (text: string, mode = 0o644) => writeFileSync(file, text, { mode }),
    text: () => readFileSync(file, 'utf8'),
    value: () => JSON.parse(readFileSync(file, 'utf8')) as { hooks?: { Stop?: unknown[] }; env?: unknown },
    neighbours: () => readdirSync(path.dirname(file)),
  };
}

const ours = {
  hooks: [{ type: 'command', command: expect.stringMatching(/ hook run claude --timeout 900s$/), timeout: 900 }],
};

test('the hook is added to the settings of the project, and removing it restores them byte for byte', async () => {
  const line = createCommandLine();
  const settings = settingsOf(line);
  const before = '{\n    "model":  "opus",\n    "hooks": {"Stop": [ {"hooks":[]} ]}\n}';
  settings.put(before, 0o640);
  expect(await line.run(['hook', 'install', 'claude'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('installed'),
  });
  expect(settings.value()).toEqual({
    model: 'opus',
    hooks: { Stop: [{ hooks: [] }, ours] },
    env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '500' },
  });
  expect(settings.text()).toContain('"model":  "opus"');
  expect(statSync(settings.file).mode & 0o777).toBe(0o640);
  expect((await line.run(['hook', 'remove', 'claude'])).stdout).toContain('as it was before');
  expect(settings.text()).toBe(before);
  expect(settings.neighbours()).toEqual(['settings.local.json']);
});

test('installing twice changes nothing, and a new time limit replaces the entry', async () => {
  const line = createCommandLine();
  const settings = settingsOf(line);
  await line.run(['hook', 'install', 'claude']);
  const once = settings.text();
  expect((await line.run(['hook', 'install', 'claude'])).stdout).toContain('already installed');
  expect(settings.text()).toBe(once);
  expect((await line.run(['hook', 'install', 'claude', '--timeout', '1h'])).stdout).toContain('updated');
  expect(settings.value().hooks?.Stop).toEqual([{ hooks: [expect.objectContaining({ timeout: 3600 })] }]);
});

test('a file that the hook created disappears with it', async () => {
  const line = createCommandLine();
  const settings = settingsOf(line, '.codex/hooks.json');
  await line.run(['hook', 'install', 'codex']);
  expect(settings.value()).toEqual({ hooks: { Stop: [{ hooks: [expect.objectContaining({ timeout: 900 })] }] } });
  await line.run(['hook', 'remove', 'codex']);
  expect(settings.neighbours()).toEqual([]);
});

test('removing the hook keeps later changes of the user and hooks of others', async () => {
  const line = createCommandLine();
  const settings = settingsOf(line);
  settings.put('{\n  "model": "opus"\n}\n');
  await line.run(['hook', 'install', 'claude']);
  settings.put(settings.text().replace('"opus"', '"sonnet"'));
  expect((await line.run(['hook', 'remove', 'claude'])).stdout).toContain('your later changes are kept');
  expect(settings.text()).toBe('{\n  "model": "sonnet"\n}\n');
  expect((await line.run(['hook', 'remove', 'claude'])).stdout).toContain('not installed');
});

test('the hook of all sessions is in the settings of the user, and the status shows where it is', async () => {
  const line = createCommandLine();
  await line.run(['hook', 'install', 'claude', '--user']);
  const { stdout } = await line.run(['hook', 'status', '--json']);
  const { hooks } = JSON.parse(stdout) as { hooks: readonly { command: string | null }[] };
  expect(hooks).toEqual([
    { agent: 'claude', scope: 'project', file: path.join(line.folder, '.claude/settings.local.json'), command: null },
    {
      agent: 'claude',
      scope: 'user',
      file: path.join(line.folder, 'home/.claude/settings.json'),
      command: expect.stringContaining('hook run claude'),
    },
    expect.objectContaining({ agent: 'codex', scope: 'project', command: null }),
    expect.objectContaining({ agent: 'codex', scope: 'user', command: null }),
  ]);
  expect((await line.run(['hook', 'status'])).stdout).toContain('claude, user: installed');
});

test('B139: settings that are a link, also through their folder, are refused and stay as they are', async () => {
  const line = createCommandLine();
  const settings = settingsOf(line);
  line.write('target.json', '{}');
  symlinkSync(path.join(line.folder, 'target.json'), settings.file);
  for (const action of ['install', 'remove']) {
    expect(await line.run(['hook', action, 'claude'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('link'),
    });
  }
  expect(readFileSync(path.join(line.folder, 'target.json'), 'utf8')).toBe('{}');
  mkdirSync(path.join(line.folder, 'elsewhere'));
  symlinkSync(path.join(line.folder, 'elsewhere'), path.join(line.folder, '.codex'));
  expect(await line.run(['hook', 'install', 'codex'])).toMatchObject({ code: 78 });
  expect(readdirSync(path.join(line.folder, 'elsewhere'))).toEqual([]);
});

test.each([
  ['{', 'it is not JSON'],
  ['[]', 'it is not a JSON object'],
  ['{"hooks": []}', '"hooks" is not an object'],
  ['{"hooks": {"Stop": {}}}', '"hooks.Stop" is not a list'],
])('settings such as %j are refused and stay as they are', async (text, why) => {
  const line = createCommandLine();
  const settings = settingsOf(line);
  settings.put(text);
  expect(await line.run(['hook', 'install', 'claude'])).toMatchObject({
    code: 78,
    stderr: expect.stringContaining(why),
  });
  expect(settings.text()).toBe(text);
});

test.each([
  [['hook', 'install', 'gemini'], 'There is no hook for "gemini"'],
  [['hook', 'install'], 'No agent is given'],
  [['hook', 'nonsense'], 'nonsense'],
  [['hook', 'install', 'claude', '--project', '--user'], '--project'],
  [['hook', 'install', 'claude', '--timeout', '5s'], '--timeout'],
])('%j is refused with 64', async (args, words) => {
  const line = createCommandLine();
  expect(await line.run(args)).toMatchObject({ code: 64, stderr: expect.stringContaining(words) });
  expect(line.has('.claude')).toBe(false);
});

const plugin = `---
active: true
iteration: 3
max_iterations: 10
completion_promise: "ALL DONE"
started_at: "2026-11-01T10:00:00Z"
session_id: s-1
---

Make the file "done".
`;

test("a loop of Claude Code's plugin is taken over with its task, promise, session and remaining iterations", async () => {
  const line = createCommandLine();
  const settings = settingsOf(line, '.claude/ralph-loop.local.md');
  settings.put(plugin);
  const from = ['hook', 'start', '--from', '.claude/ralph-loop.local.md', '--verify', './check.sh', '--no-baseline'];
  const { code, stdout } = await line.run([...from, '--no-auto-test', '--json']);
  expect(code).toBe(0);
  const { prompt, session } = JSON.parse(stdout) as { prompt: string; session: unknown };
  expect(session).toEqual({ agent: 'claude', id: 's-1' });
  expect(prompt).toContain('RALPHD LOOP 1/8');
  expect(prompt).toContain('<promise>ALL DONE</promise>');
  expect(prompt).toContain('Make the file "done".');
  expect(settings.neighbours()).toEqual(['ralph-loop.local.md.taken-over']);
});

test.each([
  ['iterations that are used up', plugin.replace('iteration: 3', 'iteration: 11'), 'are used up'],
  ['no front matter', 'Make it.', 'ralph-loop.local.md'],
  ['no task', plugin.replace('Make the file "done".', ''), 'it has no task'],
  ['an end', plugin.replace('active: true', 'active: false'), 'the loop is not active'],
])('a loop of the plugin with %s is refused and stays as it is', async (_case, text, why) => {
  await expectRefused(text, why);
});

test('B139: a loop of the plugin whose counter is no number is refused and stays as it is', async () => {
  await expectRefused(plugin.replace('iteration: 3', 'iteration: many'), '"iteration"');
});

async function expectRefused(text: string, why: string): Promise<void> {
  const line = createCommandLine();
  const settings = settingsOf(line, '.claude/ralph-loop.local.md');
  settings.put(text);
  const refused = await line.run(['hook', 'start', '--from', '.claude/ralph-loop.local.md', '--trust-promise']);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(why);
  expect(settings.text()).toBe(text);
  expect(line.has('.ralph')).toBe(false);
}
