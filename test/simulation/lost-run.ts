import type { FactData } from '../../src/protocol/index.ts';

/** Whether a run went down with its owner; an agent that was lost while nobody watched says something else. */
export function isLost({ ending, outcome }: Pick<FactData<'agent.finished'>, 'ending' | 'outcome'>): boolean {
  return ending.kind === 'lost' && outcome === 'interrupted';
}
