import { expect, test } from 'vitest';
import { isSecretName, secretsIn } from './redact-known.ts';

test('variables hold secrets when their name suggests it', () => {
  for (const name of ['ANTHROPIC_API_KEY', 'GITHUB_TOKEN', 'PGPASSWORD', 'npm_config__auth', 'AWS_SECRET_ACCESS_KEY']) {
    expect(isSecretName(name), name).toBe(true);
  }
  for (const name of ['PWD', 'PATH', 'SSH_AUTH_SOCK', 'MAX_OUTPUT_TOKENS', 'KEYBOARD', 'AWS_REGION']) {
    expect(isSecretName(name), name).toBe(false);
  }
});

test('the values of such variables are secrets, with the name they are known by', () => {
  expect(secretsIn({ PATH: '/bin', GITHUB_TOKEN: ' ghp_0123456789abcdef\n' })).toEqual([
    { name: 'GITHUB_TOKEN', value: 'ghp_0123456789abcdef' },
  ]);
});

test('the password in a URL is a secret in any variable, both encoded and decoded', () => {
  const variables = {
    DATABASE_URL: 'postgres://app:p%40ssw0rd!@db:5432/x',
    HTTPS_PROXY: 'http://user:hunter2hunter2@proxy:8080',
    ORIGIN: 'https://ghp_0123456789abcdef@github.com/a/b',
    MIRRORS: 'ssh://git@github.com/a https://example.org/@scope',
  };
  expect(secretsIn(variables).map(({ name, value }) => `${name}=${value}`)).toEqual([
    'DATABASE_URL=p%40ssw0rd!',
    'DATABASE_URL=p@ssw0rd!',
    'HTTPS_PROXY=hunter2hunter2',
    'HTTPS_PROXY=hunter2hunter2',
    'ORIGIN=ghp_0123456789abcdef',
    'ORIGIN=ghp_0123456789abcdef',
  ]);
});

test('each value in a list of headers for telemetry is a secret, as written, decoded and without the word before it', () => {
  const headers = 'authorization=Bearer%20sesame-0123,x-key=abcdefgh9';
  expect(secretsIn({ OTEL_EXPORTER_OTLP_HEADERS: headers }).map(({ value }) => value)).toEqual([
    headers,
    'Bearer sesame-0123',
    'sesame-0123',
    'abcdefgh9',
    'abcdefgh9',
  ]);
});

test.each([
  ['short', '1234'],
  ['a number', '12345678'],
  ['one character again and again', '**********'],
  ['a common word', 'Production'],
  ['a word of ours', 'completed'],
  ['the name of a limit', 'max_output_tokens'],
  ['a path', '/usr/bin'],
  ['a path at home', '~/.config/key'],
  ['a path with a file name', '/workspace/keys/service.json'],
  ["the user's name", 'alice-of-wonder'],
  ['a loop', 'ralph-fix-tests-a1b2c3d4'],
])('a value that is found everywhere is no secret: %s', (_why, value) => {
  expect(secretsIn({ USER: 'alice-of-wonder', MY_TOKEN: value })).toEqual([]);
});

test('a key is a secret even if it begins like a path', () => {
  expect(secretsIn({ AWS_SECRET_ACCESS_KEY: '/bQ7xVt0mZk9/Lw2sYc4Rd8gHj6uNf1pTe3aXo5i' })).toHaveLength(1);
});
