import { type FactType, factTypes } from '../../../src/protocol/index.ts';
import type { Truth } from '../world/script.ts';
import type { World } from '../world/world.ts';
import { bestInvariants } from './best.ts';
import { enter } from './bookkeeping.ts';
import { completionInvariants } from './completion.ts';
import { conditionInvariants } from './conditions.ts';
import { costInvariants } from './costs.ts';
import { evidenceInvariants } from './evidence.ts';
import { hookInvariants } from './hooks.ts';
import type { Invariant, Observation } from './invariant.ts';
import { judgementInvariants } from './judgement.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { limitInvariants } from './limits.ts';
import { orderInvariants } from './order.ts';
import { progressInvariants } from './progress.ts';
import { restInvariants } from './rest.ts';
import { tamperingInvariants } from './tampering.ts';
import { waitInvariants } from './waits.ts';
import { wishInvariants } from './wishes.ts';

/** Thrown at the first thing that is not as it must be. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
  readonly rule: string;

  constructor(rule: string, detail: string) {
    super(detail);
    this.rule = rule;
  }
}

const invariants = [
  ...orderInvariants,
  ...limitInvariants,
  ...costInvariants,
  ...hookInvariants,
  ...conditionInvariants,
  ...completionInvariants,
  ...tamperingInvariants,
  ...evidenceInvariants,
  ...wishInvariants,
  ...waitInvariants,
  ...judgementInvariants,
  ...bestInvariants,
  ...progressInvariants,
];

const byType = new Map<FactType, readonly Invariant[]>(
  factTypes.map((type) => [type, invariants.filter(({ types }) => types.includes(type))]),
);

/** Watches one loop from outside and knows the truth about its agents. */
export class Oracle {
  readonly ledger: Ledger = emptyLedger();
  #truth: Truth = 'worked';

  observe(seen: Observation): void {
    for (const { rule, check } of byType.get(seen.fact.type) ?? []) {
      const wrong = check(this.ledger, seen);
      if (wrong !== undefined) throw new RuleBroken(rule, wrong);
    }
    enter(this.ledger, seen, this.#truth);
  }

  learn(truth: Truth): void {
    this.#truth = truth;
  }

  agentStarts({ agents }: World, name: string): void {
    if (agents.size === 0) return;
    throw new RuleBroken('two agents are never alive at once', `${name} beside ${[...agents].join(', ')}`);
  }

  atRest(world: World): void {
    for (const { rule, check } of restInvariants) {
      const wrong = check(this.ledger, world);
      if (wrong) throw new RuleBroken(rule, wrong);
    }
  }
}
