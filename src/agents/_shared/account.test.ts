import { expect, test } from 'vitest';
import { createAccountant } from './account.ts';
import type { AgentEvent } from './event.ts';

function accountOf(...events: readonly AgentEvent[]) {
  const accountant = createAccountant();
  for (const event of events) accountant.add(event);
  return { ...accountant.account(), reported: accountant.reported, isOver: accountant.isOver };
}

function text(message: string, words: string, append = true): AgentEvent {
  return { type: 'text', message, text: words, append };
}

test('A083: a claim that is split over deltas is complete in the last message', () => {
  const { lastMessage, text: all } = accountOf(
    text('1', 'First.'),
    text('2', '<prom'),
    text('2', 'ise>DONE</promise>'),
  );
  expect(lastMessage).toBe('<promise>DONE</promise>');
  expect(all).toBe('First.\n<promise>DONE</promise>');
});

test('a message that is reported again is replaced, and the answer of the result is the last message', () => {
  expect(accountOf(text('1', 'half'), text('1', 'half a word', false)).lastMessage).toBe('half a word');
  const result: AgentEvent = { type: 'result', outcome: 'completed', text: 'The answer.' };
  expect(accountOf(text('1', 'The ans'), result)).toMatchObject({ lastMessage: 'The answer.', text: 'The answer.' });
});

test('A162: what was not reported is missing and never 0', () => {
  const account = accountOf();
  expect(account).not.toHaveProperty('usage');
  expect(account).not.toHaveProperty('costUsd');
  const step: AgentEvent = { type: 'usage', usage: { outputTokens: 5 }, scope: { of: 'step' } };
  expect(accountOf(step, step).usage).toEqual({ value: { outputTokens: 10 }, of: 'run' });
});

test('A162: a message that reports its usage again counts once, with its last number', () => {
  const usage = (id: string, outputTokens: number): AgentEvent => ({
    type: 'usage',
    usage: { inputTokens: 10, outputTokens },
    scope: { of: 'message', id },
  });
  expect(accountOf(usage('a', 1), usage('a', 7), usage('b', 2)).usage?.value).toEqual({
    inputTokens: 20,
    outputTokens: 9,
  });
});

test('A162: the total of a run or session outweighs the sum of its parts, and is labelled as such', () => {
  const cost = (usd: number, of: 'step' | 'session'): AgentEvent => ({ type: 'cost', usd, scope: { of } });
  expect(accountOf(cost(0.1, 'step'), cost(0.5, 'session'), cost(0.1, 'step')).costUsd).toEqual({
    value: 0.5,
    of: 'session',
  });
});

test('only a limit that rejected a request sets a reset', () => {
  const resetAt = '2026-11-16T12:00:00.000Z';
  expect(accountOf({ type: 'limit', rejected: false, resetAt })).not.toHaveProperty('resetAt');
  expect(accountOf({ type: 'limit', rejected: true, resetAt })).toMatchObject({ resetAt });
});

test('B134: the result of an agent ends its run, and a second one is ignored: what it does afterwards changes nothing', () => {
  const error: AgentEvent = { type: 'error', outcome: 'transient', message: 'try again', fatal: true };
  const done: AgentEvent = { type: 'result', outcome: 'completed', text: 'Done.' };
  const account = accountOf(error, done, text('9', 'woken again'), { type: 'result', outcome: 'transient' });
  expect(account).toMatchObject({ reported: { outcome: 'completed' }, isOver: true, lastMessage: 'Done.', events: 4 });
});

test('an error that is not fatal does not decide the outcome of the run', () => {
  expect(accountOf({ type: 'error', outcome: 'auth', message: 'a hint', fatal: false }).reported).toBeUndefined();
});

test('B134: background work that is not over is counted', () => {
  const task = (id: string, running: boolean): AgentEvent => ({ type: 'background', id, running });
  expect(accountOf(task('a', true), task('b', true), task('a', false)).backgroundLeft).toBe(1);
});

test('a message of any length keeps its end, in bounded memory', () => {
  const accountant = createAccountant();
  for (let part = 0; part < 2_000; part += 1) accountant.add(text('1', 'x'.repeat(1_000)));
  accountant.add(text('1', '<promise>DONE</promise>'));
  const { lastMessage } = accountant.account();
  expect(lastMessage.length).toBeLessThanOrEqual(300_000);
  expect(lastMessage.endsWith('<promise>DONE</promise>')).toBe(true);
});

test('B116: a tool use counts once, however often it is reported; uses without an id all count', () => {
  const use = (id: string): AgentEvent => ({ type: 'tool_use', id, name: 'bash' });
  const accountant = createAccountant();
  for (const event of [use('a'), use('b'), use('a'), use(''), use('')]) accountant.add(event);
  expect(accountant.toolUses).toBe(4);
});
