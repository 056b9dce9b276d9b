import { expect, test } from 'vitest';
import type { LoopReport } from '../../app/index.ts';
import { reportOf } from '../../core/index.ts';
import { startedStory } from '../../core/testing/story.ts';
import { reportHtml } from '../output/report/report-html.ts';
import { reportLines } from '../output/report/report-lines.ts';
import { reportMarkdown } from '../output/report/report-markdown.ts';
import { phraseReport } from './report.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };

test('a loop that continues another and is continued itself names both, and what all of them took', () => {
  const { loop, facts, nowMs } = startedStory();
  const report = reportOf(loop, facts, { nowMs, shownStatus: 'completed' });
  const spent = { ...loop.totals.spent, runs: 2, costUsd: 0.5, unreportedCost: 0 };
  const chain: LoopReport['chain'] = [
    { loopId: 'ralph-fix-tests-00000000' },
    { loopId: 'ralph-fix-tests-11111111', known: { status: 'failed', iterations: 2, spent } },
    {
      loopId: loop.id,
      known: { status: 'completed', iterations: 3, spent: { ...spent, runs: 4, costUsd: 2.79, unreportedCost: 1 } },
    },
    {
      loopId: 'ralph-fix-tests-22222222',
      known: { status: 'running', iterations: 0, spent: { ...spent, runs: 0, costUsd: 0 } },
    },
  ];
  const text = phraseReport({ report, loop, chain }, nowMs);
  const total = 'in all: 5 iterations in 4 loops, without 1 that is gone; cost: at least $3.29 (1 run reported none)';
  const lines = reportLines(text, { paint, width: 40 });
  const from = lines.indexOf('  chain of loops');
  expect(lines.slice(from + 1, lines.indexOf('', from)).join('\n')).toMatchInlineSnapshot(`
    "  · ralph-fix-tests-00000000
        gone, iterations: ?, cost: ?
      · ralph-fix-tests-11111111
        failed, iterations: 2, cost: $0.50
      ▸ ralph-fix-tests-a1b2c3d4
        completed, iterations: 3, cost: ≥
        $2.79
      · ralph-fix-tests-22222222
        running, iterations: 0, cost: ?
      in all: 5 iterations in 4 loops,
      without 1 that is gone; cost: at least
      $3.29 (1 run reported none)"
  `);
  expect(text.next.slice(-2)).toEqual([
    { command: 'ralphd report ralph-fix-tests-22222222', does: 'see the loop that continues this one' },
    { command: 'ralphd report ralph-fix-tests-11111111', does: 'see the loop that this one continues' },
  ]);
  const markdown = reportMarkdown(text);
  expect(markdown).toContain('| `ralph-fix-tests-a1b2c3d4` (this one) | completed | 3 | ≥ \\$2.79 |');
  expect(markdown).toContain(`I${total.slice(1).replaceAll('$', '\\$')}.`);
  const page = reportHtml(text, '2026-11-18T07:10:00.000Z');
  expect(page).toContain('<td class="first"><code>ralph-fix-tests-11111111</code></td><td>failed</td>');
  expect(page).toContain(`I${total.slice(1)}.`);
});
