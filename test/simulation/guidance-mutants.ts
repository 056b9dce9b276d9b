import type { Loop } from '../../src/core/index.ts';
import { evolving, type Mutant } from './mutants.ts';

type Guidance = Loop['commands']['guidance'];

/** Bugs in the delivery of guidance. */
export const guidanceMutants: readonly Mutant[] = [
  evolving('guidance for one iteration is delivered twice', (before, fact, after) =>
    fact.type === 'iteration.finished' && fact.data.status !== 'skipped'
      ? withGuidance(after, [...after.commands.guidance, ...deliveredBy(before)])
      : after,
  ),
  evolving('guidance is lost when its attempt is interrupted', (before, fact, after) =>
    fact.type === 'iteration.interrupted' ? withGuidance(after, before.commands.guidance) : after,
  ),
  evolving('guidance is lost when its iteration is skipped', (before, fact, after) =>
    fact.type === 'iteration.finished' ? withGuidance(after, before.commands.guidance) : after,
  ),
  evolving('standing guidance is forgotten after an iteration', (_before, fact, after) =>
    fact.type === 'iteration.finished'
      ? withGuidance(
          after,
          after.commands.guidance.filter(({ standing }) => !standing),
        )
      : after,
  ),
  evolving('standing guidance is left out of the prompt', (_before, fact, after) => {
    const { current } = after.position;
    if (fact.type !== 'iteration.started' || current === undefined) return after;
    const { standing: _standing, ...delivered } = current.delivered;
    return { ...after, position: { ...after.position, current: { ...current, delivered } } };
  }),
  evolving('guidance cannot be dropped', (before, fact, after) =>
    fact.type === 'command.accepted' && fact.data.command === 'drop'
      ? withGuidance(after, before.commands.guidance)
      : after,
  ),
  evolving('dropping one piece of guidance drops the others', (_before, fact, after) =>
    fact.type === 'command.accepted' && fact.data.command === 'drop' ? withGuidance(after, []) : after,
  ),
];

function withGuidance(loop: Loop, guidance: Guidance): Loop {
  return { ...loop, commands: { ...loop.commands, guidance } };
}

function deliveredBy({ position: { current } }: Loop): Guidance {
  return current?.delivered.guidance ?? [];
}
