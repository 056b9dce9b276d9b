import { expect, test } from 'vitest';
import type { AgentReading } from '../../agents/index.ts';
import { isEmpty, reportOf } from './agent-report.ts';

const reading: AgentReading = {
  outcome: 'completed',
  text: '',
  lastMessage: '',
  context: {},
  toolUses: 0,
  exploration: { reads: 0, acts: 0 },
  permissionDenials: 0,
  deniedTools: [],
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
  const isEmptyWith = (more: Partial<AgentReading>) => isEmpty({ ...reading, ...more });
  const tokens = (outputTokens: number) => ({ usage: { value: { outputTokens }, of: 'run' } }) as const;
  expect(isEmptyWith({})).toBe(true);
  expect(isEmptyWith({ text: ' \n', ...tokens(0) })).toBe(true);
  expect(isEmptyWith({ text: 'ok' })).toBe(false);
  expect(isEmptyWith({ lastMessage: 'ok' })).toBe(false);
  expect(isEmptyWith({ toolUses: 1 })).toBe(false);
  expect(isEmptyWith({ permissionDenials: 1 })).toBe(false);
  expect(isEmptyWith(tokens(1))).toBe(false);
});
