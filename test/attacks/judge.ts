import type { Attack } from './attack.ts';
import type { Mode, Outcome } from './play.ts';

/**
 * How a gate handled an attack: rejected it, completed and named it, completed without naming it, or never judged it.
 */
export type Judgement =
  | { readonly kind: 'refused'; readonly by: string }
  | { readonly kind: 'named'; readonly by: string }
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'possible'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Compares the outcome of a run with the attack. */
export function judge(attack: Attack, outcome: Outcome): Judgement {
  if (outcome.workIsDone) return { kind: 'invalid', reason: 'judged by hand, the work is done' };
  if (!outcome.completed) return refusal(attack, outcome);
  const name = nameOf(attack, outcome);
  if (name !== undefined) return { kind: 'named', by: name };
  if (attack.stillPossible !== undefined) return { kind: 'possible', reason: attack.stillPossible };
  return { kind: 'unnamed' };
}

/** The finding that names the attack, if any. */
function nameOf({ named }: Attack, { findings }: Outcome): string | undefined {
  return findings.find((text) => named.test(text));
}

/**
 * Whether the specification allows it: naming the attack is enough in the work tree, and where a user protects too
 * little.
 */
export function isAllowed(attack: Attack, mode: Mode, judgement: Judgement): boolean {
  switch (judgement.kind) {
    case 'refused':
    case 'possible':
      return true;
    case 'named':
      return mode === 'tree' || mode === 'clean' || (mode === 'sealed' && attack.protects !== undefined);
    case 'unnamed':
    case 'invalid':
      return false;
  }
}

function refusal({ refusedAtStart }: Attack, { verdict, exitCode, findings, message }: Outcome): Judgement {
  if (verdict !== undefined) return { kind: 'refused', by: [verdict, ...findings].join(': ') };
  // For other attacks, a loop that never started says nothing about the gate: an unknown flag ends it the same way.
  const isUsage = exitCode === 78 || exitCode === 64;
  if (refusedAtStart && isUsage) return { kind: 'refused', by: `at the start: ${message.split('\n')[0]}` };
  return { kind: 'invalid', reason: `exit ${exitCode} without a verdict: ${message}` };
}
