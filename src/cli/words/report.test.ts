import { expect, test } from 'vitest';
import type { LoopReport } from '../../app/index.ts';
import { columnsOf } from '../../base/index.ts';
import { reportOf } from '../../core/index.ts';
import { changed, counts } from '../../core/testing/facts.ts';
import { type Story, startedStory } from '../../core/testing/story.ts';
import { reportHtml } from '../output/report/report-html.ts';
import { reportLines } from '../output/report/report-lines.ts';
import { reportMarkdown } from '../output/report/report-markdown.ts';
import { phraseReport } from './report.ts';

const plain = (text: string) => text;
const paint = { dim: plain, bold: plain, good: plain, bad: plain, warn: plain, note: plain };
const minute = 60_000;

function textOf(story: Story, files?: LoopReport['files']) {
  const { loop, facts, nowMs } = story;
  const report = reportOf(loop, facts, { nowMs, shownStatus: loop.status });
  return phraseReport({ report, loop, ...(files === undefined ? {} : { files }) }, nowMs);
}

/** The same text in every time zone. */
function anyZone(text: string): string {
  return text.replaceAll(/\b\d\d:\d\d\b/g, 'hh:mm');
}

function linesOf(...args: Parameters<typeof textOf>): string {
  return anyZone(reportLines(textOf(...args), { paint, width: 80 }).join('\n'));
}

/** A loop that needed three iterations and a wait. */
function provenStory(): Story {
  const story = startedStory({ task: 'Port the importer to the streaming parser.', config: { baseline: true } });
  const check = { command: 'npm test', verdict: 'failed', durationMs: 4_000, output: '', exitCode: 1 } as const;
  story.tell({
    type: 'baseline.finished',
    data: { verdict: 'failed', checks: [check], tests: counts(6), elapsedMs: 4_000 },
  });
  const usage = { inputTokens: 90_000, outputTokens: 4_000, costUsd: 0.93, toolCalls: 12 };
  const lines = (added: number, removed: number) => ({ lines: { added, removed } });
  const tree = (before: string, after: string) => ({ trees: { before: before.repeat(40), after: after.repeat(40) } });
  const model = 'sonnet';
  story
    .pass(9 * minute)
    .run({ claimed: true, usage, model, changes: changed(3, { ...lines(120, 14), ...tree('a', 'b') }) });
  story.gate({ verdict: 'failed', tests: counts(2) }).advance();
  const resetAt = new Date(story.nowMs + 30 * minute).toISOString();
  story.pass(minute).run({ outcome: 'usage_limited', error: 'You have hit your limit', resetAt, changes: changed(0) });
  story.advance();
  story.pass(6 * minute).run({ usage, model, changes: changed(0) });
  story.advance();
  story.pass(8 * minute).run({
    claimed: true,
    usage,
    model,
    summary: 'Partial fields are carried over;\nthe reader holds one chunk at a time.',
    changes: changed(1, {
      ...lines(9, 2),
      ...tree('b', 'c'),
      protected: { changed: ['test/reader.test.ts'], created: [] },
    }),
  });
  story.gate({ verdict: 'passed', tests: counts(0), proof: 'tree', changedFiles: 4 }).advance();
  story.advance();
  const end = { status: 'completed', reason: 'completed', message: 'done', verified: true, proof: 'tree' } as const;
  if (story.loop.status !== 'completed') story.tell({ type: 'loop.ended', data: { ...end, elapsedMs: 1_000 } });
  return story;
}

const files = [
  { path: 'src/reader.ts', added: 118, removed: 12 },
  { path: 'src/index.ts', added: 9, removed: 2 },
  { path: 'test/reader.test.ts', added: 2, removed: 2 },
  { path: 'logo.png', added: null, removed: null },
];

test('a proven loop as text', () => {
  expect(linesOf(provenStory(), files)).toMatchInlineSnapshot(`
    "ralph-fix-tests-a1b2c3d4  Proven, 1 thing to look at first
      ✓ Completed: the task is done, and the checks prove it, with reservations.
      ralphd ran all checks itself after iteration 3, and they passed

      asked     Port the importer to the streaming parser.
      agent     command (sonnet)
      worked    3 iterations in 5.0s, hh:mm to hh:mm
      idle      waited 29m 8s
      claims    2, 1 refused
      cost      at least $2.79 (1 run reported none)
      used      at least 282,000 tokens, 12,000 of them output; at least 36 tool
                calls
      changed   4 files, 129 lines added, 16 removed

      can you trust it?
      ✓ proof: tree (the checks ran in the work tree)
      ✓ npm test: passed in 0.5s; failed before the first iteration
      ✓ 10 of 10 tests passed now; 4 of 10 tests passed before the first iteration
      ! tests that existed before the loop were changed: test/reader.test.ts

      iterations
      #     outcome                      failing  files     lines   cost  time
      1  ↑  claim refused, but progress   2 (−4)      3  +120 −14  $0.93  1.5s
      2  ·  no progress, attempt 2                    0            $0.93  1.0s
      3  ✓  proven                        0 (−2)      1     +9 −2  $0.93  1.5s

      waits and pauses
      hh:mm to hh:mm: waited because of the provider's limit (You have hit your
      limit)

      changed files
      src/reader.ts        +118       −12
      src/index.ts           +9        −2
      test/reader.test.ts    +2        −2
      logo.png                   not text

      the agent's last words
      │ Partial fields are carried over;
      │ the reader holds one chunk at a time.

      next
      ralphd inspect ralph-fix-tests-a1b2c3d4
          see what the newest iteration did
      ralphd proof ralph-fix-tests-a1b2c3d4 --markdown
          summarise the proof for a pull request
      ralphd status ralph-fix-tests-a1b2c3d4
          see the details"
  `);
});

test('a proven loop as Markdown', () => {
  expect(anyZone(reportMarkdown(textOf(provenStory(), files)))).toMatchInlineSnapshot(`
    "### ✅ Proven: \`ralph-fix-tests-a1b2c3d4\` (⚠️ 1 thing to look at first)

    **Completed: the task is done, and the checks prove it, with reservations.**

    ralphd ran all checks itself after iteration 3, and they passed

    **Task**

    \`\`\`
    Port the importer to the streaming parser.
    \`\`\`

    |  |  |
    |---|---|
    | agent | command (sonnet) |
    | worked | 3 iterations in 5.0s, hh:mm to hh:mm |
    | idle | waited 29m 8s |
    | claims | 2, 1 refused |
    | cost | at least \\$2.79 (1 run reported none) |
    | used | at least 282,000 tokens, 12,000 of them output; at least 36 tool calls |
    | changed | 4 files, 129 lines added, 16 removed |

    **Can you trust it?**

    - ✅ proof: tree (the checks ran in the work tree)
    - ✅ \`npm test\`: passed in 0.5s; failed before the first iteration
    - ✅ 10 of 10 tests passed now; 4 of 10 tests passed before the first iteration
    - ⚠️ tests that existed before the loop were changed: test/reader.test.ts

    **Iterations**

    | # |  | Outcome | Failing tests | Files | Lines | Cost | Time |
    |---|---|---|---|---|---|---|---|
    | 1 | ↑ | claim refused, but progress | 2 (−4) | 3 | +120 −14 | \\$0.93 | 1.5s |
    | 2 | · | no progress, attempt 2 |  | 0 |  | \\$0.93 | 1.0s |
    | 3 | ✓ | proven | 0 (−2) | 1 | +9 −2 | \\$0.93 | 1.5s |

    **Waits and pauses**

    - hh:mm to hh:mm: waited because of the provider's limit (You have hit your limit)

    **Changed files**

    | File | Added | Removed |
    |---|---|---|
    | \`src/reader.ts\` | +118 | −12 |
    | \`src/index.ts\` | +9 | −2 |
    | \`test/reader.test.ts\` | +2 | −2 |
    | \`logo.png\` |  | not text |

    **The agent's last words**

    \`\`\`
    Partial fields are carried over;
    the reader holds one chunk at a time.
    \`\`\`

    **Next**

    - \`ralphd inspect ralph-fix-tests-a1b2c3d4\`: see what the newest iteration did
    - \`ralphd proof ralph-fix-tests-a1b2c3d4 --markdown\`: summarise the proof for a pull request
    - \`ralphd status ralph-fix-tests-a1b2c3d4\`: see the details
    "
  `);
});

test('a proven loop as a page has no script, nothing to load, and every section', () => {
  const page = reportHtml(textOf(provenStory(), files), '2026-11-18T07:10:00.000Z');
  expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
  expect(page).not.toMatch(/<script|<link|<img|url\(|https?:|javascript:/i);
  const titles = [...page.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title);
  expect(titles).toEqual([
    'Asked',
    'Can you trust it?',
    'Iterations',
    'Waits and pauses',
    'Changed files',
    'Last words',
    'Next',
  ]);
});

test('the report fits a terminal of any width', () => {
  for (const width of [40, 60, 80, 120]) {
    const lines = reportLines(textOf(provenStory(), files), { paint, width });
    // A command is never cut or wrapped: it is there to be copied.
    const others = lines.filter((line) => !line.includes('ralph-fix-tests-a1b2c3d4'));
    expect(Math.max(...others.map(columnsOf)), `${width}`).toBeLessThanOrEqual(width);
  }
});

const evil =
  '<script>alert(1)</script>\u001b[2J\u202e| **bold** [link](https://evil.example) `code` @everyone\n# heading\n- item';

function hostileStory(): Story {
  const story = startedStory({ task: evil, checks: [evil] });
  story.run({ claimed: true, summary: evil, model: evil, changes: changed(1) });
  story.gate({ verdict: 'failed', tests: counts(1), tampered: [evil], doubts: [evil] }).advance();
  story.run({ outcome: 'unknown', ending: { kind: 'exited', code: 3 }, error: evil });
  story.advance();
  return story;
}

test('whatever an agent writes, the page shows it as text', () => {
  const page = reportHtml(textOf(hostileStory(), [{ path: evil, added: 1, removed: 0 }]), 'now');
  const body = page.slice(page.indexOf('<main>'));
  expect(body).not.toMatch(/<script|\u001b|\u202e/);
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  const tags = new Set([...body.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag));
  expect([...tags].toSorted()).toEqual(
    'blockquote body code dd div dl dt footer h1 h2 header html li main ol p pre section span table tbody td th thead tr ul'.split(
      ' ',
    ),
  );
});

test('whatever an agent writes, it makes no markup in Markdown and no control sequence in a terminal', () => {
  const text = textOf(hostileStory(), [{ path: evil, added: 1, removed: 0 }]);
  const markdown = reportMarkdown(text);
  const outside = markdown.replaceAll(/^(`{3,})\n[\s\S]*?\n\1$/gm, '').replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, '');
  expect(outside).not.toMatch(/(?<!\\)<|(?<!\\)\[|[^\\]\*\*bold|@everyone|^# /m);
  expect(markdown).not.toMatch(/\u001b|\u202e/);
  const table = outside.split('\n').filter((line) => line.startsWith('| 1 '));
  expect(table.map((row) => row.match(/(?<!\\)\|/g)?.length)).toEqual([9]);
  const lines = reportLines(text, { paint, width: 80 }).join('\n');
  expect(lines).not.toMatch(/\u001b|\u202e/);
  expect(lines.split('\n').filter((line) => /^\s*(# heading|- item)/.test(line))).toEqual([]);
});

test('a report says what is not known: a loop without checks, without reports of cost and without git', () => {
  const story = startedStory({ checks: [], config: { trustPromise: true } }).run({ claimed: true });
  story.advance();
  const end = { status: 'completed', reason: 'completed', message: 'done', verified: false, elapsedMs: 0 } as const;
  story.tell({ type: 'loop.ended', data: end });
  expect(linesOf(story)).toMatchInlineSnapshot(`
    "ralph-fix-tests-a1b2c3d4  Claimed only
      · Completed: the agent's claim was accepted without verification.
      there were no checks, and trustPromise is set

      asked     Fix the tests
      agent     command
      worked    1 iteration in 0.0s, hh:mm to hh:mm
      claims    1, 0 refused
      cost      not reported by the agent

      can you trust it?
      ! proof: none (nothing was checked)

      iterations
      #     outcome             files  time
      1  ◇  accepted unchecked      1  1.0s

      next
      ralphd inspect ralph-fix-tests-a1b2c3d4
          see what the newest iteration did
      ralphd run "TASK" --verify CMD
          have the next result verified
      ralphd status ralph-fix-tests-a1b2c3d4
          see the details"
  `);
});

test('a loop that failed, one that is paused and one that runs each say what to do next', () => {
  const failed = startedStory({ config: { maxIterations: 1 } })
    .run({ claimed: true })
    .gate({ verdict: 'failed', tests: counts(3), tampered: ['package.json'] });
  failed.advance();
  failed.advance();
  expect(linesOf(failed, null)).toMatchInlineSnapshot(`
    "ralph-fix-tests-a1b2c3d4  Failed
      ✗ Failed: the maximum number of iterations is used up.
      1 of 1 iterations

      asked     Fix the tests
      agent     command
      worked    1 iteration in 0.0s, hh:mm to hh:mm
      claims    1, 1 refused
      cost      not reported by the agent

      can you trust it?
      · ralphd last ran the checks after iteration 1
      ✗ npm test: failed in 0.5s
      ✗ 7 of 10 tests passed now
      ✗ package.json was changed, so the checks prove nothing

      iterations
      #     outcome                      failing  files  time
      1  ↑  claim refused, but progress        3      1  1.5s

      changed files
      The stored diffs were removed, so the changed files cannot be listed.

      next
      ralphd resume ralph-fix-tests-a1b2c3d4 --max-iterations 2
          allow more iterations, and continue in a new loop; the work so far is in
          the work tree
      ralphd status ralph-fix-tests-a1b2c3d4
          see the details
      ralphd inspect ralph-fix-tests-a1b2c3d4
          see what the newest iteration did"
  `);
  const running = startedStory().reach('executing');
  expect(linesOf(running)).toMatchInlineSnapshot(`
    "ralph-fix-tests-a1b2c3d4  Running
      · Iteration 1 is running: the agent is working.
      it ends after 100 more iterations

      asked     Fix the tests
      agent     command
      worked    0 iterations in 0.0s, hh:mm to now

      can you trust it?
      · the checks have not run
      · npm test: not run since the loop started

      iterations
      #     outcome    files
      1  ▸  under way      ?

      next
      ralphd status ralph-fix-tests-a1b2c3d4
          see the details
      ralphd pause ralph-fix-tests-a1b2c3d4
          pause after the current iteration
      ralphd inspect ralph-fix-tests-a1b2c3d4
          see what the newest iteration did"
  `);
  const paused = startedStory().run().command({ command: 'pause' });
  paused.advance();
  paused.pass(90 * minute);
  expect(linesOf(paused)).toMatchInlineSnapshot(`
    "ralph-fix-tests-a1b2c3d4  Paused
      ! Paused: it was paused on request.
      paused by the user

      asked     Fix the tests
      agent     command
      worked    1 iteration in 0.0s, hh:mm to now
      idle      paused for 1h 30m
      cost      not reported by the agent

      can you trust it?
      · the checks have not run
      · npm test: not run since the loop started

      iterations
      #     outcome   files  time
      1  ↑  progress      1  1.0s

      waits and pauses
      hh:mm to now: paused (user_pause): paused by the user

      next
      ralphd resume ralph-fix-tests-a1b2c3d4
          continue whenever you like
      ralphd abort ralph-fix-tests-a1b2c3d4
          end the loop permanently
      ralphd inspect ralph-fix-tests-a1b2c3d4
          see what the newest iteration did"
  `);
});
