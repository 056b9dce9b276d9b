import type { Verdict } from '../../protocol/index.ts';

/** What of a gate decides what it is worth. */
export interface RanGate {
  readonly verdict: Verdict;
  readonly tampered?: readonly string[] | undefined;
}

/** What a gate comes to: checks that are no longer the user's own prove nothing, whatever they say. */
export function verdictOf({ verdict, tampered = [] }: RanGate): Verdict {
  return tampered.length === 0 ? verdict : 'unverifiable';
}
