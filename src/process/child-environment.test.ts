import { expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

test('an agent gets what the caller has, less nesting variables and secrets that are not its own', () => {
  const caller = {
    PATH: '/bin',
    HOME: '/home/me',
    PWD: '/home/me/project',
    SSH_AUTH_SOCK: '/run/agent',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1000',
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    GITHUB_TOKEN: 'c',
    DJANGO_SECRET_KEY: 'd',
    PGPASSWORD: 'e',
    MYSQL_PWD: 'f',
    AWS_PROFILE: 'g',
    'npm_config_//registry/:_authToken': 'h',
  };
  const { env, removed } = childEnvironment(caller, { agentSecrets: ['ANTHROPIC_API_KEY'] });
  expect(env).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    PWD: '/home/me/project',
    SSH_AUTH_SOCK: '/run/agent',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1000',
    ANTHROPIC_API_KEY: 'a',
    TERM: 'dumb',
    NO_COLOR: '1',
  });
  expect(removed).toEqual([
    'AWS_PROFILE',
    'CLAUDECODE',
    'CLAUDE_CODE_ENTRYPOINT',
    'DJANGO_SECRET_KEY',
    'GITHUB_TOKEN',
    'MYSQL_PWD',
    'OPENAI_API_KEY',
    'PGPASSWORD',
    'npm_config_//registry/:_authToken',
  ]);
});

test('a whole family of secrets can be declared', () => {
  const caller = { AWS_PROFILE: 'work', AWS_SECRET_ACCESS_KEY: 'x', GITHUB_TOKEN: 'y' };
  const { env, removed } = childEnvironment(caller, { agentSecrets: ['AWS_*'] });
  expect(env).toMatchObject({ AWS_PROFILE: 'work', AWS_SECRET_ACCESS_KEY: 'x' });
  expect(removed).toEqual(['GITHUB_TOKEN']);
});

test("the headers with which telemetry is sent are ralphd's own; where it is sent is no secret", () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
  const secrets = { OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'c=d' };
  const caller = { OTEL_EXPORTER_OTLP_ENDPOINT, ...secrets };
  const { env, removed } = childEnvironment(caller, { agentSecrets: ['CLAUDE_CODE_*'] });
  expect(env).toMatchObject({ OTEL_EXPORTER_OTLP_ENDPOINT });
  expect(removed).toEqual(Object.keys(secrets));
});

test('a nesting variable is never passed on, not even when declared', () => {
  const { env } = childEnvironment({ CLAUDECODE: '1' }, { agentSecrets: ['CLAUDECODE', '*'] });
  expect(env).not.toHaveProperty('CLAUDECODE');
});

test('colour is off, and what the user sets for the agent wins', () => {
  const caller = { TERM: 'xterm-256color', FORCE_COLOR: '1', GITHUB_TOKEN: 'theirs' };
  const extra = { TERM: 'vt100', GITHUB_TOKEN: 'mine' };
  expect(childEnvironment(caller, { agentSecrets: [], extra }).env).toEqual({ NO_COLOR: '1', ...extra });
});

test('with an allow-list an agent gets only usual variables, its own and those that are named', () => {
  const caller = {
    PATH: '/bin',
    LC_ALL: 'C',
    RALPHD_ATTEMPT: 'outer',
    ANTHROPIC_BASE_URL: 'http://localhost',
    CLAUDECODE: '1',
    MYAPP_MODE: 'test',
    MYAPP: 'x',
    DATABASE_URL: 'db',
    SSH_AUTH_SOCK: '/run/agent',
    XDG_RUNTIME_DIR: '/run/user/1',
  };
  const options = { agentSecrets: ['ANTHROPIC_*', '*'], only: ['MYAPP_*', 'DATABASE_URL', 'CLAUDECODE', 'UNSET'] };
  const { env, removed } = childEnvironment(caller, { ...options, extra: { FORCED: '1' } });
  expect(env).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    RALPHD_ATTEMPT: 'outer',
    ANTHROPIC_BASE_URL: 'http://localhost',
    MYAPP_MODE: 'test',
    DATABASE_URL: 'db',
    TERM: 'dumb',
    NO_COLOR: '1',
    FORCED: '1',
  });
  expect(removed).toEqual(['CLAUDECODE', 'MYAPP', 'SSH_AUTH_SOCK', 'XDG_RUNTIME_DIR']);
});
