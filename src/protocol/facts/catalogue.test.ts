import { expect, test } from 'vitest';
import { factCatalogue, factTypes } from './catalogue.ts';

test('A057: every event of the loop runner has its fact', () => {
  const events = factTypes.flatMap((type) => {
    const { event } = factCatalogue[type];
    return event === undefined ? [] : [`${type}: ${event}`];
  });
  expect(events).toEqual([
    'loop.started: Started',
    'loop.paused: Paused',
    'loop.resumed: Resumed',
    'loop.ended: Completed, Error or Stopped',
    'stop_rule.triggered: StopConditionTriggered',
    'reboot.started: RebootStarted',
    'reboot.finished: RebootCompleted',
    'iteration.started: IterationStarted',
    'iteration.finished: IterationCompleted or IterationFailed',
  ]);
});

test.each(factTypes)('A058: the fact %s is named in the past tense and documented in a sentence', (type) => {
  expect(type).toMatch(/^[a-z_]+\.(\w+ed|completing)$/);
  expect(factCatalogue[type].summary).toMatch(/^\S.*\.$/);
});
