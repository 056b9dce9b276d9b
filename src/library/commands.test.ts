import { expectTypeOf, test } from 'vitest';
import type { OfferedCommand } from '../protocol/index.ts';
import type { CommandRequest } from './commands.ts';

test('the library offers every command that anybody may give, and no other', () => {
  expectTypeOf<CommandRequest['command']>().toEqualTypeOf<OfferedCommand>();
});
