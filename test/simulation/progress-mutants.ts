import type { Loop } from '../../src/core/index.ts';
import type { Fact, Progress } from '../../src/protocol/index.ts';
import { advancing, evolving, type Mutant } from './mutants.ts';

/** Bugs that report progress where there is none, or the other way round. */
export const progressMutants: readonly Mutant[] = [
  judging("the agent's word alone is progress", (loop, progress) =>
    progress.made !== true && (loop.position.current?.execution?.markers ?? 0) > 0 ? made(progress) : progress,
  ),
  judging('files count where only the tests are to', (loop, progress) => {
    const { strategy } = loop.config.progress;
    const changed = (loop.position.current?.execution?.changes.count ?? 0) > 0;
    return progress.made !== true && changed && strategy === 'test_results' ? made(progress) : progress;
  }),
  judging('a tree that changed is no progress', (_loop, progress) =>
    progress.evidence.includes('2 files changed') ? { made: false, evidence: ['nothing'], score: 0 } : progress,
  ),
  judging('any number that a gate gives is progress', (loop, progress) =>
    progress.made === false && loop.position.current?.gate?.measures !== undefined ? made(progress) : progress,
  ),
  evolving('a test that passes now is remembered as failing', (_before, fact, after) =>
    fact.type === 'gate.finished'
      ? {
          ...after,
          tests: {
            ...after.tests,
            memory: after.tests.memory.map((test) => ({ ...test, results: `${test.results.slice(0, -1)}f` })),
          },
        }
      : after,
  ),
  evolving('test counts that the agent printed pass for those of the checks', (_before, fact, after) => {
    const hints = fact.type === 'agent.finished' ? fact.data.testHints : undefined;
    return hints === undefined ? after : { ...after, tests: { ...after.tests, latest: { ...hints, failing: [] } } };
  }),
];

function made(progress: Progress): Progress {
  return { ...progress, made: true, score: 0.3 };
}

function judging(bug: string, change: (loop: Loop, progress: Progress) => Progress): Mutant {
  return advancing(bug, (loop, result) => ({
    ...result,
    facts: result.facts.map(
      (fact): Fact =>
        fact.type === 'iteration.finished'
          ? { ...fact, data: { ...fact.data, progress: change(loop, fact.data.progress) } }
          : fact,
    ),
  }));
}
