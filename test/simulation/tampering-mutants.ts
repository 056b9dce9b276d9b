import { edit, type Loop } from '../../src/core/index.ts';
import type { RecordedFact } from '../../src/protocol/index.ts';
import type { Mutant } from './mutants.ts';
import { realRules } from './rules.ts';

/** Bugs that let an edited check pass unnoticed. */
export const tamperingMutants: readonly Mutant[] = [
  evolving('a gate that passes is believed although its file was changed', (before, fact) => {
    if (fact.type !== 'gate.finished' || fact.data.tampered === undefined) return realRules.evolve(before, fact);
    const { tampered: _tampered, ...data } = fact.data;
    return realRules.evolve(before, { ...fact, data });
  }),
  evolving('a gate that passes is refused because of a file that is only told', (before, fact) => {
    if (fact.type !== 'gate.finished' || fact.data.doubts === undefined) return realRules.evolve(before, fact);
    return realRules.evolve(before, { ...fact, data: { ...fact.data, tampered: fact.data.doubts } });
  }),
  evolving('what is guarded is forgotten when an owner dies', (before, fact) =>
    fact.type === 'segment.opened' ? unguarded(realRules.evolve(before, fact)) : realRules.evolve(before, fact),
  ),
  evolving('a file that was changed once is guarded no longer', (before, fact) => {
    const after = realRules.evolve(before, fact);
    return fact.type === 'gate.finished' && fact.data.tampered !== undefined ? unguarded(after) : after;
  }),
  evolving('a resume takes the gate as it is without being asked to', (before, fact) =>
    fact.type === 'loop.resumed' ? unguarded(realRules.evolve(before, fact)) : realRules.evolve(before, fact),
  ),
  evolving('what the user accepts is not taken over', (before, fact) =>
    fact.type === 'gate.accepted'
      ? edit(realRules.evolve(before, fact), { gate: { guards: before.gate.guards } })
      : realRules.evolve(before, fact),
  ),
];

function evolving(bug: string, evolve: (before: Loop, fact: RecordedFact) => Loop): Mutant {
  return { bug, rules: { ...realRules, evolve } };
}

function unguarded(loop: Loop): Loop {
  return loop.gate.guards === undefined ? loop : { ...loop, gate: { ...loop.gate, guards: [] } };
}
