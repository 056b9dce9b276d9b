import { expect, test } from 'vitest';
import type { FactData, RecordedFact } from '../../protocol/index.ts';
import { factLines, relevantLines } from './fact-lines.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };

function finished(ending: FactData<'agent.finished'>['ending']): RecordedFact {
  const changes = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  const run = { ending, outcome: 'configuration', claimed: false, changes, durationMs: 0 } as const;
  const data = { iteration: 1, attempt: 1, ...run };
  return { seq: 1, at: '2026-11-17T18:41:00.000Z', epoch: 1, type: 'agent.finished', data };
}

test('a prompt that cannot be used is shown with the flags that fix it, which the stored fact does not name', () => {
  const message = 'The prompt file PROMPT.md cannot be read: no such file.';
  const lines = factLines(finished({ kind: 'not_started', code: 'PROMPT_UNREADABLE', message }), paint);
  expect(lines).toMatchInlineSnapshot(`
    [
      "  agent    could not be started: The prompt file PROMPT.md cannot be read: no such file. after 0.0s, 0 files changed",
      "  fix      Fix the path in "--prompt-file", or make it a readable file of UTF-8 text.",
    ]
  `);
});

test('an agent program that is missing gets no advice about prompts', () => {
  const lines = factLines(finished({ kind: 'not_started', code: 'ENOENT', message: 'no such program' }), paint);
  expect(lines).toHaveLength(1);
});

test('of the output of a failed check, the errors are shown, and headings are not', () => {
  const output = `collected 0 items / 1 error
==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_calc.py ______________________
tests/test_calc.py:2: in <module>
    from calc import total
E   ModuleNotFoundError: No module named 'calc'
--------------------
`;
  expect(relevantLines(output)).toEqual([
    'collected 0 items / 1 error',
    "E   ModuleNotFoundError: No module named 'calc'",
  ]);
});
