import { expect, test } from 'vitest';
import type { AgentReading } from '../../agents/index.ts';
import { reportOf } from './agent-report.ts';

const reading: AgentReading = {
  outcome: 'completed',
  text: '',
  lastMessage: '',
  context: {},
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
