import { expect, test } from 'vitest';
import * as z from 'zod';
import { createRedactor, secretsIn } from '../../base/index.ts';
import { configSchema, encodeConfig, type Fact, factCatalogue, factTypes } from '../../protocol/index.ts';
import { redactFact, redactorFor, showFact } from './redact-facts.ts';

const token = 'tok-4e1x9Qm27Zr8';
const redactor = createRedactor([{ name: 'API_TOKEN', value: token }]);

function startedWith(env: Record<string, string>, vars: Record<string, string> = {}): Fact {
  const config = configSchema.parse({ prompt: 'x', iteration: { env }, vars });
  return {
    type: 'loop.started',
    data: {
      loopId: 'ralph-x-a1b2c3d4',
      uuid: token,
      task: `use ${token}`,
      agent: 'command',
      workingDirectory: `/${token}`,
      startedBy: 'me',
      config: encodeConfig(config),
      configHash: 'x',
      checks: [`test "$(cat x)" = ${token}`],
    },
  };
}

test('texts of a fact are redacted at any depth, except what identifies a loop or lets it continue', () => {
  const finished: Fact = {
    type: 'hooks.finished',
    data: {
      iteration: 1,
      attempt: 1,
      point: 'pre_iteration',
      results: [{ name: 'a', point: 'pre_iteration', ok: true, durationMs: 1, output: `got ${token}` }],
      data: { id: token },
    },
  };
  expect(redactFact(finished, redactor).data).toMatchObject({
    results: [{ output: 'got [redacted:API_TOKEN]' }],
    data: { id: '[redacted:API_TOKEN]' },
  });
  const started = startedWith({});
  expect(redactFact(started, redactor).data).toEqual({ ...started.data, task: 'use [redacted:API_TOKEN]' });
});

test('the configuration is written whole and shown without its secrets, however short they are', () => {
  const started = startedWith({ API_TOKEN: token, SHORT_KEY: 'abc', MODE: 'fast' });
  const written = redactFact(started, redactor);
  expect(written.data).toMatchObject({ config: { iteration: { env: { API_TOKEN: token } } } });
  expect(showFact(written, redactor).data).toMatchObject({
    uuid: token,
    workingDirectory: `/${token}`,
    checks: ['test "$(cat x)" = [redacted:API_TOKEN]'],
    config: {
      iteration: { env: { API_TOKEN: '[redacted:API_TOKEN]', SHORT_KEY: '[redacted:SHORT_KEY]', MODE: 'fast' } },
    },
  });
});

test('a loop knows the secrets of its caller and those it sets for its agent', () => {
  const config = configSchema.parse({ prompt: 'x', iteration: { env: { AGENT_TOKEN: token } } });
  const both = redactorFor({ GITHUB_TOKEN: 'ghp_0123456789abcdef' }, config);
  expect(both.redact(`${token} ghp_0123456789abcdef`)).toBe('[redacted:AGENT_TOKEN] [redacted:GITHUB_TOKEN]');
});

test.each(factTypes)('no secret can be mistaken for a word that facts are made of: %s', (type) => {
  const schema = z.toJSONSchema(factCatalogue[type].data, { io: 'input' });
  const words = fixedWords(schema);
  expect(words.flatMap((word) => secretsIn({ A_TOKEN: word }))).toEqual([]);
});

/** The texts that a schema allows and names. */
function fixedWords(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { enum: choices = [], const: only } = schema as { readonly enum?: unknown[]; readonly const?: unknown };
  const named = [...choices, only].filter((word) => typeof word === 'string');
  return [...named, ...Object.values(schema).flatMap(fixedWords)];
}

test('variables of the prompt that are named like secrets are secrets', () => {
  const vars = { db_password: token, pin_key: 'abc', lang: 'de' };
  const known = redactorFor({}, configSchema.parse({ vars }));
  expect(known.redact(`log in with ${token}`)).toBe('log in with [redacted:db_password]');
  const started = startedWith({}, vars);
  expect(redactFact(started, known).data).toMatchObject({ config: { vars } });
  expect(showFact(started, known).data).toMatchObject({
    config: { vars: { db_password: '[redacted:db_password]', pin_key: '[redacted:pin_key]', lang: 'de' } },
  });
});
