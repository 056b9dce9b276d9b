import type { FactData } from '../../src/protocol/index.ts';

/** Whether a run was lost together with its owner. An agent that dies unobserved has a different outcome. */
export function isLost({ ending, outcome }: Pick<FactData<'agent.finished'>, 'ending' | 'outcome'>): boolean {
  return ending.kind === 'lost' && outcome === 'interrupted';
}
