import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFact } from '../../protocol/index.ts';
import { agentFinished } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { extractNotes } from './notes.ts';
import { renderPrompt } from './render.ts';

test('B021: lines of an answer note decisions, issues, what is done, what is left and values', () => {
  const answer = `I looked around first.

Decision: Keep the parser because a rewrite would break plugins.
Issue (high): \`src/parse.ts:12\` loses the last line
Resolved: #3
Done: The reader.
Pending: The writer.
- **Pending:** Its tests.
Note (port): 8080
<promise>DONE</promise>`;
  expect(extractNotes(answer)).toEqual({
    decisions: [{ text: 'Keep the parser', why: 'a rewrite would break plugins.' }],
    issues: [{ text: '`src/parse.ts:12` loses the last line', severity: 'high', files: ['src/parse.ts'] }],
    resolved: ['#3'],
    done: ['The reader.'],
    pending: ['The writer.', 'Its tests.'],
    values: [{ key: 'port', value: '8080' }],
  });
});

test('B021: lists under headings note the same, with reasons, boxes and severities in any usual form', () => {
  const answer = `## Decisions made
1. Use **one** journal
   - Rationale: two can disagree
2. No cache (why: it was never hit)

### Known issues
- [critical] Data loss in lib/a.ts and lib/b.ts
- low: a typo
- High memory use
- [x] The build is slow

**Done**
- [x] reader
- [ ] writer

## Next steps:
The rest:
  - docs
  - release
And then I am done.
- not an item

## Notes
- db url: sqlite
- nothing in particular`;
  expect(extractNotes(answer)).toEqual({
    decisions: [
      { text: 'Use one journal', why: 'two can disagree' },
      { text: 'No cache', why: 'it was never hit' },
    ],
    issues: [
      { text: 'Data loss in lib/a.ts and lib/b.ts', severity: 'critical', files: ['lib/a.ts', 'lib/b.ts'] },
      { text: 'a typo', severity: 'low' },
      { text: 'High memory use', severity: 'medium' },
    ],
    resolved: ['The build is slow'],
    values: [{ key: 'db url', value: 'sqlite' }],
    done: ['reader'],
    pending: ['writer', 'docs', 'release'],
  });
});

test.each([
  ['a heading with "None"', '## Pending\nNone.'],
  ['a list of nothing', '## Pending\n- none'],
  ['a line', 'Pending: nothing'],
])('B021: %s reports that nothing is left, which differs from no report at all', (_case, answer) => {
  expect(extractNotes(answer)).toEqual({ pending: [] });
});

test.each([
  ['prose', 'I made a decision: none of it matters. The issue is done.'],
  ['code', '```\nDecision: x\n## Pending\n- y\n```'],
  ['code that is never closed', 'So:\n~~~md\nIssue (high): x\n'],
  ['a quotation', '> Decision: x\n> Issue (high): y'],
  ['other headings', '## Summary\n- a\n## Plan\n- b'],
  ['labels without any text', 'Decision: **\nIssue:'],
  ['nothing', ''],
])('B021: %s notes nothing', (_case, answer) => {
  expect(extractNotes(answer)).toBeUndefined();
});

test('B022: whatever an agent answers, its notes are bounded, one line each, and fit their schema', () => {
  const piece = fc.oneof(
    fc.constantFrom('## Decisions', '# Issues', '## Pending', '**Notes**', 'Done:', '```', '- ', '  why: ', '> '),
    fc.constantFrom('Decision: a because b', 'Issue (high): ', '- [x] ', 'Note (k): ', ' ', '\u2028', '\r'),
    fc.string({ unit: 'binary' }),
    fc.constant('ä😀'.repeat(900)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.constantFrom('\n', '', ' ')), { maxLength: 120 }), (pieces) => {
      const notes = extractNotes(pieces.flat().join(''));
      if (notes === undefined) return;
      const fact = agentFinished({ iteration: 1, attempt: 1 }, { notes });
      const read = readFact({ ...fact, seq: 1, epoch: 1, at: '2026-11-01T12:00:00.000Z' });
      expect(read).toMatchObject({ ok: true, fact });
      for (const list of Object.values(notes)) expect(list?.length).toBeLessThanOrEqual(30);
      for (const text of JSON.stringify(notes).match(/"(?:[^"\\]|\\.)*"/gu) ?? []) {
        expect((JSON.parse(text) as string).length).toBeLessThanOrEqual(240);
        expect(JSON.parse(text)).not.toMatch(/[\n\r\v\f\u2028\u2029]/u);
      }
    }),
    { numRuns: 50 },
  );
});

test('B022: a long note is cut between words, so that no half of a secret is left', () => {
  const secret = 's3cret'.repeat(20);
  const answer = `Decision: ${'word '.repeat(40)}${secret} and more because ${'why '.repeat(160)}${secret}`;
  expect(extractNotes(answer)?.decisions?.[0]?.text).toBe(`${'word '.repeat(40)}…`);
  expect(JSON.stringify(extractNotes(`${answer}\nPending: ${secret.repeat(3)}`))).not.toContain('s3c');
});

test('B022: an answer of any shape is read in time that grows with its length alone', () => {
  for (const line of ['Decision: '.repeat(20_000), '- '.repeat(100_000), '(a/'.repeat(60_000), '*'.repeat(200_000)]) {
    expect(extractNotes(`## Issues\n- ${line}\n${line}`)?.issues?.length ?? 0).toBeLessThanOrEqual(2);
  }
  expect(extractNotes('Decision: x\n'.repeat(20_000))?.decisions).toHaveLength(20);
});

/** The prompt of an agent that takes over now. */
function promptOf({ loop }: Story): string {
  const iteration = loop.position.finished + 1;
  return renderPrompt(loop, 'Do it.', { iteration, attempt: 1, delivered: { guidance: [], handOff: true } });
}

test('B021: only an agent whose session continues is asked to write notes for its successor', () => {
  const rendered = promptOf(startedStory({ config: { session: { strategy: 'continue' } } }));
  expect(rendered).toContain('"Decision: … because …", "Issue (low|medium|high|critical): …"');
  expect(promptOf(startedStory())).not.toContain('Decision');
});

test('B021: an agent that only repeats its prompt notes nothing', () => {
  const story = startedStory({ config: { session: { strategy: 'continue' } } });
  const notes = {
    decisions: [{ text: 'Use X' }],
    issues: [{ text: 'Slow', severity: 'low' as const }],
    pending: ['y'],
  };
  story.run({ notes, summary: 'Decision: quoted' }).advance();
  expect(extractNotes(promptOf(story))).toBeUndefined();
});
