import { expect, test } from 'vitest';
import { secretsIn } from '../base/index.ts';
import { stopReasons } from './index.ts';

test.each(stopReasons)('the stop reason %s is never treated as a secret, so no fact loses it', (reason) => {
  expect(secretsIn({ API_TOKEN: reason })).toEqual([]);
});

test('a weak password that begins like a limit is still a secret', () => {
  expect(secretsIn({ DB_PASSWORD: 'max_payne' })).toHaveLength(1);
});
