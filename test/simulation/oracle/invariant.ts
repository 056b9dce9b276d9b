import type { Loop } from '../../../src/core/index.ts';
import type { FactData, FactType, RecordedFact } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import type { Ledger } from './ledger.ts';

/** One fact in the moment it became durable. */
export interface Observation {
  readonly fact: RecordedFact;
  readonly before: Loop;
  readonly after: Loop;
  readonly world: World;
}

/** Something that holds whenever one of these facts is written; says what is wrong when it does not. */
export interface Invariant {
  readonly rule: string;
  readonly types: readonly FactType[];
  readonly check: (ledger: Ledger, seen: Observation) => string | undefined;
}

/** An invariant about one kind of fact. */
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

/** An invariant about several kinds of facts. */
export function onAny(
  types: readonly FactType[],
  rule: string,
  check: (ledger: Ledger, seen: Observation) => string | false | undefined,
): Invariant {
  return { rule, types, check: (ledger, seen) => check(ledger, seen) || undefined };
}
