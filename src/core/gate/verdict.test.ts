import { expect, test } from 'vitest';
import { type Verdict, verdicts } from '../../protocol/index.ts';
import { renderPrompt } from '../prompt/render.ts';
import { changed, fileGuard } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { type CheckEvidence, checkVerdict, verdictOf } from './verdict.ts';

const guards = [fileGuard('check.sh', 'a'), fileGuard('stamp', 'b')];

test.each(verdicts)('R6: checks that %s prove nothing once one of their files was changed', (verdict) => {
  const config = { trustPromise: false };
  expect(verdictOf({ verdict }, { config })).toBe(verdict);
  expect(verdictOf({ verdict, tampered: [] }, { config })).toBe(verdict);
  expect(verdictOf({ verdict, tampered: ['check.sh'] }, { config })).toBe('unverifiable');
  expect(verdictOf({ verdict, tampered: ['check.sh'], changedFiles: 0 }, { config: { trustPromise: true } })).toBe(
    'unverifiable',
  );
});

test.each(verdicts)('R6: checks that %s prove nothing where no file has changed since the loop began', (verdict) => {
  const nothing = { verdict, changedFiles: 0 };
  expect(verdictOf(nothing, { config: { trustPromise: false } })).toBe(verdict === 'passed' ? 'unchanged' : verdict);
  expect(verdictOf(nothing, { config: { trustPromise: true } })).toBe(verdict);
  expect(verdictOf({ verdict, changedFiles: 1 }, { config: { trustPromise: false } })).toBe(verdict);
});

const exit = (code: number) => ({ kind: 'exited', code }) as const;
const counted = (passed: number, failed: number) => ({ passed, failed });

test.each<[string, CheckEvidence, Verdict]>([
  ['exit 0', { ending: exit(0), inShell: true }, 'passed'],
  ['exit 0 and only passing tests', { ending: exit(0), inShell: true, report: counted(3, 0) }, 'passed'],
  ['exit 0 and one failing test', { ending: exit(0), inShell: true, report: counted(3, 1) }, 'contradicted'],
  ['exit 0 and only failing tests', { ending: exit(0), inShell: false, report: counted(0, 2) }, 'contradicted'],
  ['exit 0 and no test', { ending: exit(0), inShell: true, report: counted(0, 0) }, 'unverifiable'],
  ['exit 0 of a make that did nothing', { ending: exit(0), inShell: true, madeNothing: true }, 'unverifiable'],
  ['exit 1 and only passing tests', { ending: exit(1), inShell: true, report: counted(3, 0) }, 'failed'],
  ['exit 1 and no test', { ending: exit(1), inShell: true, report: counted(0, 0) }, 'failed'],
  ['exit 126 of a shell', { ending: exit(126), inShell: true }, 'not_executable'],
  ['exit 126 of a program', { ending: exit(126), inShell: false }, 'failed'],
  ['exit 127 of a shell', { ending: exit(127), inShell: true }, 'not_found'],
  ['exit 127 of a program', { ending: exit(127), inShell: false }, 'failed'],
  ['a signal', { ending: { kind: 'signalled', signal: 'SIGSEGV' }, inShell: true, report: counted(3, 0) }, 'failed'],
  ['a timeout', { ending: { kind: 'stopped', by: 'timeout', forced: false }, inShell: true }, 'timed_out'],
  ['no such program', { ending: { kind: 'not_started', code: 'ENOENT', message: '' }, inShell: false }, 'not_found'],
  ['no permission', { ending: { kind: 'not_started', code: 'EACCES', message: '' }, inShell: false }, 'not_executable'],
])('A087: the verdict of a check follows from all its evidence: %s', (_what, evidence, verdict) => {
  expect(checkVerdict(evidence)).toBe(verdict);
});

test('R6: the claim of an agent that changed nothing is refused, and its next prompt says why', () => {
  const story = startedStory();
  story.run({ claimed: true, changes: changed(0) }).gate({ verdict: 'passed', changedFiles: 0 });
  expect(story.loop.verification.latest?.result.verdict).toBe('unchanged');
  story.advance();
  expect(story.loop).toMatchObject({ status: 'running', position: { finished: 1 } });
  story.begin();
  const { current } = story.loop.position;
  const prompt = current === undefined ? '' : renderPrompt(story.loop, 'the task', current);
  expect(prompt).toContain('no file differs from when the loop began');
});

test('R6: neither an unknown number of changed files nor a trusted promise causes a refusal', () => {
  for (const [config, changedFiles] of [
    [{}, undefined],
    [{ trustPromise: true }, 0],
  ] as const) {
    const story = startedStory({ config });
    story.run({ claimed: true }).gate({ verdict: 'passed', ...(changedFiles === undefined ? {} : { changedFiles }) });
    story.advance();
    expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true, proof: 'tree' } });
  }
});

test('R6, R15: a passing gate completes nothing when one of its files was changed', () => {
  const story = startedStory({ guards });
  story.run({ claimed: true }).gate({ verdict: 'passed', tampered: ['check.sh'] });
  expect(story.loop.verification.latest?.result).toMatchObject({ verdict: 'unverifiable', tampered: ['check.sh'] });
  expect(story.loop.verification.completionChecks).toMatchObject([{ passed: false }]);
  story.advance();
  expect(story.loop).toMatchObject({ status: 'running', position: { finished: 1 } });
  story.run({ claimed: true }).gate({ verdict: 'passed' });
  story.advance();
  expect(story.loop).toMatchObject({ status: 'completing', outcome: { verified: true } });
});

test('files that the checks change themselves are found at the baseline and no longer guarded', () => {
  const story = startedStory({ guards, config: { baseline: true } });
  story.tell({
    type: 'baseline.finished',
    data: { verdict: 'failed', checks: [], unguarded: ['stamp'], elapsedMs: 0 },
  });
  expect(story.loop.gate.guards).toEqual([guards[0]]);
});

test('after the user accepts changed checks, those are guarded', () => {
  const accepted = [fileGuard('check.sh', 'c')];
  const story = startedStory({ guards }).tell({
    type: 'gate.accepted',
    data: { guards: accepted, changed: ['check.sh'] },
  });
  expect(story.loop.gate.guards).toEqual(accepted);
});

test('R16: checks that passed at the baseline and pass again are not progress', () => {
  const story = startedStory();
  story.run({ claimed: true, changes: changed(0) }).gate({ verdict: 'passed', changedFiles: 0 });
  story.advance();
  story.run({ claimed: true, changes: changed(0) }).gate({ verdict: 'passed', changedFiles: 2 });
  story.advance();
  const finished = story.facts.flatMap((fact) => (fact.type === 'iteration.finished' ? [fact.data] : []));
  expect(finished).toMatchObject([{ progress: { made: false } }, { progress: { made: false }, completes: 'verified' }]);
});
