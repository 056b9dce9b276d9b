import { expect, test } from 'vitest';
import type { AgentReading } from '../../agents/index.ts';
import { reportOf } from './agent-report.ts';

const reading: AgentReading = {
  outcome: 'completed',
  text: '',
  lastMessage: '',
  context: {},
  toolUses: 0,
  permissionDenials: 0,
  retries: 0,
  backgroundLeft: 0,
  events: 0,
  unrecognised: 0,
};

test("B038: an agent's words are all it said, its answer included", () => {
  const textOf = (text: string, lastMessage: string) => reportOf({ ...reading, text, lastMessage }, undefined).text;
  expect(textOf('one\ntwo', 'two')).toBe('one\ntwo');
  expect(textOf('', 'the plain answer')).toBe('\nthe plain answer');
  expect(textOf('one', '')).toBe('one');
});

test('B134: a turn without a word, a tool or a token is empty; any of them makes it a turn', () => {
  const isEmpty = (more: Partial<AgentReading>) => reportOf({ ...reading, ...more }, undefined).empty === true;
  const tokens = (outputTokens: number) => ({ usage: { value: { outputTokens }, of: 'run' } }) as const;
  expect(isEmpty({})).toBe(true);
  expect(isEmpty({ text: ' \n', ...tokens(0) })).toBe(true);
  expect(isEmpty({ text: 'ok' })).toBe(false);
  expect(isEmpty({ lastMessage: 'ok' })).toBe(false);
  expect(isEmpty({ toolUses: 1 })).toBe(false);
  expect(isEmpty({ permissionDenials: 1 })).toBe(false);
  expect(isEmpty(tokens(1))).toBe(false);
});
