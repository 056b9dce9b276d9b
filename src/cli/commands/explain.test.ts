import { expect, test } from 'vitest';
import { explain, idleLoop } from '../../core/index.ts';
import { configSchema, statuses, stopReasons } from '../../protocol/index.ts';
import { parseCommandLine } from '../parse.ts';
import { phraseExplanation } from '../words/explanation.ts';

const wait = { until: '2026-11-01T14:00:00.000Z', cause: 'limit', message: 'later' } as const;

test('every next step that an explanation names is a command that exists, with options that it has', () => {
  const idle = { ...idleLoop(configSchema.parse({})), id: 'ralph-x-00000000' };
  const loops = [
    idle,
    { ...idle, pending: { ...idle.pending, wait } },
    { ...idle, totals: { ...idle.totals, stats: { ...idle.totals.stats, noProgressCount: 9 } } },
  ];
  const states = [...statuses, 'idle' as const].flatMap((status) =>
    stopReasons.flatMap((reason) => loops.map((loop) => ({ ...loop, status, outcome: { ...loop.outcome, reason } }))),
  );
  const steps = states.flatMap((loop) => [
    ...phraseExplanation(explain(loop, { nowMs: 0 }), loop).next,
    ...phraseExplanation(explain(loop, { nowMs: 0, shownStatus: 'crashed' }), loop).next,
  ]);
  const commands = new Set(steps.map(({ command }) => command));
  for (const command of commands) {
    const [program, ...words] = [...command.matchAll(/"([^"]*)"|\S+/gu)].map(([word, inner]) => inner ?? word);
    expect(program).toBe('ralphd');
    expect(parseCommandLine(words), command).toMatchObject({
      kind: 'invoke',
      invocation: { command: { name: words[0] } },
    });
  }
  expect([...commands].map((command) => command.split(' ')[1]).toSorted()).toContain('retry');
});
