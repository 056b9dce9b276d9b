import { expect, test } from 'vitest';
import type { LogEntry } from '../../app/index.ts';
import { columnsOf } from '../../base/index.ts';
import { createLogPage } from './log-page.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };

function show(entries: readonly LogEntry[], options: { readonly width?: number; readonly withResults?: boolean } = {}) {
  const { width = 80, withResults = false } = options;
  const page = createLogPage({ canvas: { paint, width }, withHeadings: true, withResults });
  return entries.map((entry) => page.take(entry)).join('') + page.end();
}

const call = { type: 'tool_use', id: 't1', name: 'Bash', detail: 'npm test' } as const;
const failed = { ...call, type: 'tool_result', ok: false } as const;

test('A061: text is shown as written, and everything else gets its own line', () => {
  const shown = show([
    { type: 'attempt', iteration: 1, attempt: 1 },
    { type: 'text', text: 'I will ', startsMessage: true },
    { type: 'text', text: 'test.', startsMessage: false },
    call,
    failed,
    { type: 'retry', why: 'overloaded' },
    { type: 'permission_denied', tool: 'Write' },
    { type: 'error', message: 'broken' },
    { type: 'text', text: 'Done.\n', startsMessage: true },
    { type: 'attempt', iteration: 1, attempt: 2 },
  ]);
  expect(shown).toMatchInlineSnapshot(`
    "iteration 1
    I will test.
      → Bash npm test
      ✗ Bash npm test failed
      ! the agent retries: overloaded
      ! permission denied: Write
      ! broken
    Done.

    iteration 1, attempt 2
    "
  `);
});

test('A061: with results, a call is shown once it has one, and one that never got any is named', () => {
  expect(show([call, { ...failed, ok: true }, { ...call, id: 't2', detail: 'sleep 9' }], { withResults: true })).toBe(
    '  ✓ Bash npm test\n  ? Bash sleep 9 (no result)\n',
  );
});

test('A061: control sequences are removed, also when they are split, and no line of a call is too wide', () => {
  const text = (words: string): LogEntry => ({ type: 'text', text: words, startsMessage: false });
  expect(show([text('red: \u001b[3'), text('1mred\u001b[0m\n')])).toBe('red: red\n');
  const wide = show([{ ...call, detail: '漢字'.repeat(100) }], { width: 40 });
  for (const line of wide.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(40);
});
