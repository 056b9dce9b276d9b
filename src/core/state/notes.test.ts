import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunNotes } from '../../protocol/index.ts';
import { startedStory } from '../testing/story.ts';
import { addNotes, maxNotes, noNotes, openIssues } from './notes.ts';

const at = '2026-11-01T12:00:00.000Z';

/** What runs noted, one after the other. */
function noted(...runs: readonly RunNotes[]) {
  return runs.reduce((notes, added, index) => addNotes(notes, added, { iteration: index + 1, at }), noNotes);
}

test('B021: decisions keep their reason, iteration and time across sessions and owners', () => {
  const story = startedStory({ config: { session: { strategy: 'continue' } } });
  story.run({ sessionId: 's', notes: { decisions: [{ text: 'Use X', why: 'it is small' }] } }).advance();
  story.command({ command: 'reboot' }).advance();
  story.tell({ type: 'reboot.finished', data: { cause: 'manual', ok: true } }).takeOver();
  expect(story.loop.handover.notes.decisions).toEqual([{ iteration: 1, at, text: 'Use X', why: 'it is small' }]);
});

test('B021: what is noted again in another form is the same, and keeps its first iteration', () => {
  const { decisions, issues, done } = noted(
    { decisions: [{ text: 'Use X.' }], issues: [{ text: 'Slow build', severity: 'low' }], done: ['Reader'] },
    { decisions: [{ text: '`use x`' }], issues: [{ text: 'slow build!', severity: 'high' }], done: ['reader.'] },
  );
  expect(decisions).toMatchObject([{ iteration: 1, text: 'Use X.' }]);
  expect(issues).toMatchObject([{ number: 1, iteration: 2, severity: 'high', isAddressed: false }]);
  expect(done).toEqual([{ iteration: 1, text: 'Reader' }]);
});

test.each([
  ['its number', '#2'],
  ['its number and more', 'Issue #2, by another lock'],
  ['its words', 'The lock leaks on exit.'],
  ['a part of its words', 'lock leaks on exit'],
  ['its words and more', 'The lock leaks on exit: closed now'],
])('B021: an issue is addressed by %s, and open again when it is noted again', (_case, words) => {
  const issues = [
    { text: 'Slow build', severity: 'low' as const },
    { text: 'The lock leaks on exit', severity: 'high' as const },
  ];
  const addressed = noted({ issues }, { resolved: [words] });
  expect(openIssues(addressed).map(({ number }) => number)).toEqual([1]);
  const again = addNotes(addressed, { issues }, { iteration: 3, at });
  expect(openIssues(again).map(({ number }) => number)).toEqual([2, 1]);
});

test('B021: words that could mean anything address nothing', () => {
  const issues = [{ text: 'The lock leaks on exit', severity: 'high' as const }];
  expect(openIssues(noted({ issues }, { resolved: ['it', 'lock', '#7', ''] }))).toHaveLength(1);
});

test('B021: the newest list of what is pending replaces the previous one; none means that nothing is left', () => {
  expect(noted({ pending: ['a', 'b'] }, { pending: ['b', 'c'] }, {}).pending).toEqual(['b', 'c']);
  expect(noted({ pending: ['a', 'b'] }, { done: ['A!'] }).pending).toEqual(['b']);
  expect(noted({ pending: ['a'] }, { pending: [] }).pending).toEqual([]);
});

test('B021: a named value stays until it is replaced', () => {
  const values = (value: string) => ({ values: [{ key: 'port', value }] });
  expect(noted(values('1'), values('2')).values).toEqual([{ key: 'port', value: '2' }]);
});

test('B021: when there are too many issues, addressed and minor ones are dropped first', () => {
  const issue = (index: number, severity: 'low' | 'critical') => ({ text: `number ${index}`, severity });
  const bad = Array.from({ length: maxNotes.issues }, (_, index) => issue(index, 'critical'));
  const { issues } = noted(
    { issues: [issue(900, 'low'), issue(901, 'critical')], resolved: ['number 901'] },
    { issues: bad },
  );
  expect(issues.map(({ text }) => text)).toEqual(bad.map(({ text }) => text));
});

test('B021: whatever is noted, the state stays bounded', () => {
  const text = fc.string();
  const runs = fc.record(
    {
      decisions: fc.array(fc.record({ text })),
      issues: fc.array(fc.record({ text, severity: fc.constantFrom('low', 'medium', 'high', 'critical') })),
      resolved: fc.array(text),
      done: fc.array(text),
      pending: fc.array(text),
      values: fc.array(fc.record({ key: text, value: text })),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(runs, { maxLength: 20, size: 'max' }), (all) => {
      const notes = noted(...(all as readonly RunNotes[]));
      for (const name of ['decisions', 'issues', 'done', 'pending', 'values'] as const)
        expect(notes[name].length).toBeLessThanOrEqual(maxNotes[name]);
      expect(new Set(notes.issues.map(({ number }) => number)).size).toBe(notes.issues.length);
      expect(JSON.parse(JSON.stringify(notes))).toEqual(notes);
    }),
  );
});
