import { expect, test } from 'vitest';
import { configSchema, type LoopConfigInput } from '../protocol/index.ts';
import { agentNamed, streamingAgents } from './registry.ts';

const launch = (name: 'claude' | 'gemini' | 'codex', settings: LoopConfigInput, isRoot: boolean) =>
  agentNamed(name).launch({
    config: configSchema.parse({ agent: name, ...settings }),
    program: name,
    env: {},
    isRoot,
    session: 'fresh',
  });

test('in a sandbox of ours, an agent does not start one of its own that could not work there', () => {
  const claude = launch('claude', { sandbox: 'on', permissions: 'full' }, true);
  expect(claude.command).toContain('{"sandbox":{"enabled":false}}');
  expect(claude.env).toMatchObject({ IS_SANDBOX: '1' });
  expect(launch('claude', { sandbox: 'on' }, false).command).not.toContain('--settings');
  expect(launch('gemini', { sandbox: 'on' }, false).env).toMatchObject({ GEMINI_SANDBOX: 'false' });
  expect(launch('codex', { sandbox: 'on', permissions: 'edit' }, false).command).toContain(
    'sandbox_mode="workspace-write"',
  );
});

test('without a sandbox, nothing about the sandboxes of agents changes', () => {
  expect(() => launch('claude', { permissions: 'full' }, true)).toThrow(/refuses to skip/);
  expect(launch('claude', {}, false).env).not.toHaveProperty('IS_SANDBOX');
  expect(launch('gemini', {}, false).env).not.toHaveProperty('GEMINI_SANDBOX');
});

test('every agent says what it writes, what decides over later sessions, and which hosts it needs', () => {
  const homes = streamingAgents.map((adapter) => adapter.home?.({ HOME: '/home/me' }));
  for (const home of homes) {
    expect(home?.writes.every((place) => place.startsWith('/home/me/.'))).toBe(true);
    expect(home?.keeps.every((place) => home.writes.some((folder) => place.startsWith(`${folder}/`)))).toBe(true);
    expect(home?.hosts.length).toBeGreaterThan(1);
  }
  const elsewhere = {
    HOME: '/home/me',
    CLAUDE_CONFIG_DIR: '/srv/claude',
    ANTHROPIC_BASE_URL: 'http://10.0.0.5:8080/v1',
  };
  const claude = agentNamed('claude').home?.(elsewhere);
  expect(claude?.writes).toEqual(['/srv/claude']);
  expect(claude?.hosts).toContain('10.0.0.5:8080');
});
