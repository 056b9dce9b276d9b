import { expect, test } from 'vitest';
import { createActivity } from './read-activity.ts';

test('the activity of an agent has its last message, every tool it used and its newest calls', () => {
  const activity = createActivity(true);
  activity.take({ type: 'text', text: 'I begin.', startsMessage: true });
  for (let index = 0; index < 2_000; index += 1) {
    activity.take({
      type: 'tool_use',
      id: `${index}`,
      name: index % 4 === 0 ? 'Edit' : 'Bash',
      detail: `call ${index}`,
    });
    if (index % 3 === 0) activity.take({ type: 'tool_result', id: `${index}`, name: 'Bash', ok: index % 2 === 0 });
  }
  // Named again with more detail: still one call.
  activity.take({ type: 'tool_use', id: '1999', name: 'Bash', detail: 'npm test' });
  activity.take({ type: 'permission_denied', tool: 'Bash' });
  activity.take({ type: 'retry', why: 'overloaded' });
  activity.take({ type: 'text', text: 'Done', startsMessage: true });
  activity.take({ type: 'text', text: ' now.', startsMessage: false });
  const { newestCalls, ...rest } = activity.read();
  expect(rest).toEqual({
    lastWords: 'Done now.',
    reportsTools: true,
    toolCalls: 2_000,
    failedCalls: 333,
    deniedCalls: 1,
    tools: [
      { name: 'Bash', calls: 1_500 },
      { name: 'Edit', calls: 500 },
    ],
    troubles: ['retries: overloaded'],
  });
  expect(newestCalls).toHaveLength(12);
  expect(newestCalls.slice(-2)).toEqual([
    { name: 'Bash', detail: 'call 1998', ok: true },
    { name: 'Bash', detail: 'npm test', ok: null },
  ]);
});
