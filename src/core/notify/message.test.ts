import { expect, test } from 'vitest';
import { inTemplates, type Message, testMessage } from './message.ts';

const message: Message = {
  ...testMessage('2026-11-18T10:00:00.000Z', '/work'),
  loopId: 'fix',
  iteration: 7,
  status: 'running',
  triggers: ['error', 'iteration'],
  task: 'Show {{text}} and $& in <b>',
  title: 'fix: error',
  text: 'It failed.',
};

test('B075: a channel has its own title and text, in which placeholders are replaced', () => {
  const title = '[{{ priority }}] {{loopId}} is {{status}}';
  const text = '{{task}} ({{triggers}}, iteration {{iteration}}, {{at}}, {{workingDirectory}})\n{{title}}: {{text}}';
  expect(inTemplates({ title, text }, message)).toEqual({
    ...message,
    title: '[normal] fix is running',
    text: 'Show {{text}} and $& in <b> (error, iteration, iteration 7, 2026-11-18T10:00:00.000Z, /work)\nfix: error: It failed.',
  });
});

test('what is inserted is never read as a template, and the result has the usual length', () => {
  const long = { ...message, text: '{{task}} '.repeat(1_000) };
  const { title, text } = inTemplates({ title: '{{text}}\n{{text}}', text: '{{text}}{{text}}' }, long);
  expect(`${title}${text}`).not.toContain('Show');
  expect([title.includes('\n'), title.length <= 120, text.length <= 1_500]).toEqual([false, true, true]);
});

test('a channel without templates sends the message as it is', () => {
  expect(inTemplates({}, message)).toEqual(message);
});
