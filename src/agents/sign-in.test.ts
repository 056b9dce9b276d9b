import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentNamed, streamingAgents } from './index.ts';

function homeWith(file: string, text: string): string {
  const home = mkdtempSync(path.join(tmpdir(), 'ralphd-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
  writeFileSync(path.join(home, file), text);
  return home;
}

const opencodeFile = '.local/share/opencode/auth.json';

test.each([
  ['claude', '.claude/.credentials.json', '{"claudeAiOauth":{"accessToken":"SECRET"}}', 'subscription'],
  ['claude', '.claude/.credentials.json', '{"other":"SECRET"}', 'unknown'],
  ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":null,"tokens":{"access_token":"SECRET"}}', 'subscription'],
  ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":"SECRET","tokens":null}', 'API key'],
  ['gemini', '.gemini/oauth_creds.json', '{"access_token":"SECRET"}', 'subscription'],
  ['opencode', opencodeFile, '{"openai":{"type":"api","key":"SECRET"}}', 'API key'],
  ['opencode', opencodeFile, '{"anthropic":{"type":"oauth","refresh":"SECRET"}}', 'subscription'],
  ['opencode', opencodeFile, '{"a":{"type":"api"},"b":{"type":"oauth"}}', 'unknown'],
] as const)('the files of %s show who pays, by name and without any secret: %s %s', (agent, file, text, pays) => {
  const home = homeWith(file, text);
  expect(agentNamed(agent).signIn?.({ HOME: home })).toEqual({ pays, from: path.join(home, file) });
});

test.each([
  ['claude', { ANTHROPIC_API_KEY: 'x' }, { pays: 'API key', from: 'ANTHROPIC_API_KEY' }],
  [
    'claude',
    { CLAUDE_CODE_OAUTH_TOKEN: 'x', ANTHROPIC_API_KEY: '' },
    { pays: 'subscription', from: 'CLAUDE_CODE_OAUTH_TOKEN' },
  ],
  [
    'claude',
    { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_API_KEY: 'x' },
    { pays: 'cloud account', from: 'CLAUDE_CODE_USE_BEDROCK' },
  ],
  ['codex', { CODEX_API_KEY: 'x' }, { pays: 'API key', from: 'CODEX_API_KEY' }],
  ['gemini', { GEMINI_API_KEY: 'x' }, { pays: 'API key', from: 'GEMINI_API_KEY' }],
  ['opencode', { OPENROUTER_API_KEY: 'x' }, { pays: 'API key', from: 'OPENROUTER_API_KEY' }],
  ['gemini', {}, undefined],
  ['codex', { HOME: '/nowhere' }, undefined],
] as const)('the variables of %s show who pays: %j', (agent, env, expected) => {
  expect(agentNamed(agent).signIn?.(env)).toEqual(expected);
});

test('a file that is no JSON shows nothing', () => {
  expect(agentNamed('claude').signIn?.({ HOME: homeWith('.claude/.credentials.json', 'not JSON') })).toBeUndefined();
});

test('every agent names the package that installs it and the command of its own that signs in', () => {
  const tried = JSON.parse(readFileSync(path.resolve('test/agents/package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const packages = streamingAgents.map(({ setup }) => /^npm install -g (\S+)$/u.exec(setup?.install ?? '')?.[1]);
  expect(packages).toEqual(expect.arrayContaining(Object.keys(tried.dependencies)));
  for (const { name, setup } of streamingAgents) expect(setup?.signIn.split(' ')[0]).toBe(name);
});
