import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { loadConfig } from './load.ts';

async function refusalOf(stopConditions: unknown): Promise<LoopError['failure']> {
  try {
    await loadConfig({ cwd: '/nowhere', env: {}, flags: { stopConditions } });
  } catch (error) {
    if (error instanceof LoopError) return error.failure;
    throw error;
  }
  return expect.fail('it was accepted');
}

test('B038: a condition of an unknown type is refused with the one that was meant', async () => {
  expect(await refusalOf({ stop: [{ type: 'file_creatd', path: 'x' }] })).toMatchObject({
    code: 'CONFIG_UNKNOWN_CONDITION',
    message: 'Unknown condition type "file_creatd" (--stop-conditions-stop-type).',
    hint: 'Did you mean "file_created"?',
  });
  expect((await refusalOf({ failure: [{ type: 'weather' }] })).hint).toBe('See docs/stop-rules.md for all types.');
});

test('B038: a key that a condition does not have is refused with the one that was meant, at any depth', async () => {
  const inner = { type: 'file_created', paht: 'x' };
  const refusal = await refusalOf({ success: [{ type: 'any', conditions: [{ type: 'not', condition: inner }] }] });
  expect(refusal).toMatchObject({
    code: 'CONFIG_UNKNOWN_KEY',
    hint: 'Did you mean "stopConditions.success.0.conditions.0.condition.path"?',
  });
});

test('B038: a condition without a type is refused with the types that exist', async () => {
  const { message } = await refusalOf({ stop: [{ path: 'x' }] });
  expect(message).toMatch(/must be one of max_iterations, .*, never, all, any, not, but it is missing\.$/);
});
