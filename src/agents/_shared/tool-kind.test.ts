import { expect, test } from 'vitest';
import { createAccountant } from './account.ts';
import { toolKind } from './tool-kind.ts';

test.each([
  ['Read', 'read'],
  ['Grep', 'read'],
  ['list_directory', 'read'],
  ['search', 'read'],
  ['view', 'read'],
  ['TodoWrite', 'neutral'],
  ['Bash', 'act'],
  ['run_shell_command', 'act'],
  ['command_execution', 'act'],
  ['Edit', 'act'],
  ['mcp__database__query', 'act'],
  ['', 'act'],
])('B080: the tool %j is of the kind %s', (name, kind) => {
  expect(toolKind(name)).toBe(kind);
});

test('B080: calls are counted by kind, each once even if it is reported twice', () => {
  const accountant = createAccountant();
  const calls = [
    ['1', 'Read'],
    ['2', 'Glob'],
    ['2', 'Glob'],
    ['3', 'TodoWrite'],
    ['4', 'Write'],
  ] as const;
  for (const [id, name] of calls) accountant.add({ type: 'tool_use', id, name });
  expect(accountant.account()).toMatchObject({ toolUses: 4, exploration: { reads: 2, acts: 1 } });
});
