import type { Loop } from '../../../src/core/index.ts';
import type { FactData, FactType, RecordedFact } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import type { Ledger } from './ledger.ts';

/** One fact at the moment it becomes durable. */
export interface Observation {
  readonly fact: RecordedFact;
  readonly before: Loop;
  readonly after: Loop;
  readonly world: World;
}

/** Holds whenever one of these facts is written; `check` returns what is wrong if it does not. */
export interface Invariant {
  readonly rule: string;
  readonly types: readonly FactType[];
  readonly check: (ledger: Ledger, seen: Observation) => string | undefined;
}

/** An invariant for one type of fact. */
export function on<Type extends FactType>(
  type: Type,
  rule: string,
  check: (ledger: Ledger, data: FactData<Type>, seen: Observation) => string | false | undefined,
): Invariant {
  return {
    rule,
    types: [type],
    check: (ledger, seen) => check(ledger, seen.fact.data as FactData<Type>, seen) || undefined,
  };
}

/** An invariant for several types of facts. */
export function onAny(
  types: readonly FactType[],
  rule: string,
  check: (ledger: Ledger, seen: Observation) => string | false | undefined,
): Invariant {
  return { rule, types, check: (ledger, seen) => check(ledger, seen) || undefined };
}
