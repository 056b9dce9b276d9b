import type { FactData } from '../../src/protocol/index.ts';

type Run = Omit<FactData<'agent.finished'>, 'iteration' | 'attempt'>;

/** What a new owner records of a run that went down with the owner before. */
export const lostRun: Run = {
  ending: { kind: 'lost' },
  outcome: 'interrupted',
  error: 'the runner died',
  claimed: false,
  changes: { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 },
  durationMs: 0,
};

/** Whether a run went down with its owner; an agent that was lost while nobody watched says something else. */
export function isLost({ ending, outcome }: Pick<Run, 'ending' | 'outcome'>): boolean {
  return ending.kind === lostRun.ending.kind && outcome === lostRun.outcome;
}
