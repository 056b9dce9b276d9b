import type { Attack } from './attack.ts';
import type { Mode, Outcome } from './play.ts';

/** What a gate made of an attack: refused it, let it through with its name, let it through, or never judged it. */
export type Judgement =
  | { readonly kind: 'refused'; readonly by: string }
  | { readonly kind: 'named'; readonly by: string }
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'possible'; readonly why: string }
  | { readonly kind: 'invalid'; readonly why: string };

/** Holds what a run came to against what the attack is. */
export function judge(attack: Attack, outcome: Outcome): Judgement {
  if (outcome.workIsDone) return { kind: 'invalid', why: 'judged by hand, the work is done' };
  if (!outcome.completed) return refusal(attack, outcome);
  const name = nameOf(attack, outcome);
  if (name !== undefined) return { kind: 'named', by: name };
  if (attack.stillPossible !== undefined) return { kind: 'possible', why: attack.stillPossible };
  return { kind: 'unnamed' };
}

/** The text by which the attack is named, if any. */
function nameOf({ named }: Attack, { told }: Outcome): string | undefined {
  return told.find((text) => named.test(text));
}

/** Whether the specification allows it: a name is enough in the work tree, and where a user protects too little. */
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

function refusal({ refusedAtStart }: Attack, { verdict, exitCode, told, words }: Outcome): Judgement {
  if (verdict !== undefined) return { kind: 'refused', by: [verdict, ...told].join(': ') };
  // Anywhere else, a loop that never began says nothing about the gate: a flag that the build lacks ends it the same way.
  const isUsage = exitCode === 78 || exitCode === 64;
  if (refusedAtStart && isUsage) return { kind: 'refused', by: `at the start: ${words.split('\n')[0]}` };
  return { kind: 'invalid', why: `exit ${exitCode} without a verdict: ${words}` };
}
