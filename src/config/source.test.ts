import { expect, test } from 'vitest';
import { setAt, valueAt } from './source.ts';

test('only an object’s own properties are found in it', () => {
  const values = { iteration: { timeout: '5s' }, verify: ['make'] };
  expect(valueAt(values, ['iteration', 'timeout'])).toBe('5s');
  expect(valueAt(values, ['verify', 0])).toBe('make');
  expect(valueAt(values, ['iteration', 'constructor'])).toBeUndefined();
  expect(valueAt(values, ['toString'])).toBeUndefined();
  expect(valueAt(values, ['iteration', 'timeout', 'length'])).toBeUndefined();
});

test('setting a value keeps the rest of its group', () => {
  const values: Record<string, unknown> = { iteration: { timeout: '5s' } };
  setAt(values, ['iteration', 'killGrace'], '1s');
  setAt(values, ['agents', 'claude', 'command'], 'x');
  expect(values).toEqual({
    iteration: { timeout: '5s', killGrace: '1s' },
    agents: { claude: { command: 'x' } },
  });
});
