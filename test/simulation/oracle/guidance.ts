import type { FactData } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger } from './ledger.ts';

/** A piece of guidance, and the fact that put it into its current state. */
export interface GuidanceAccount {
  readonly state: 'pending' | 'open' | 'delivered' | 'dropped';
  readonly seq: number;
  readonly number: number;
  readonly text: string;
  readonly isStanding: boolean;
}

/**
 * Standing guidance is in every prompt until it is dropped; other guidance is in the prompt of one finished iteration.
 */
export const guidanceInvariants: readonly Invariant[] = [
  on('iteration.started', 'guidance goes into the prompts that it is for, and into no other', (ledger, data, seen) => {
    const extra = data.guidance.find((id) => !mayBeIncluded(ledger.guidance.get(id), seen.world));
    if (extra !== undefined) return `${extra} is ${ledger.guidance.get(extra)?.state ?? 'not known'}`;
    for (const [id, { state, seq }] of ledger.guidance) {
      if (state === 'pending' && seq <= seen.world.decidedSeq && !data.guidance.includes(id))
        return `${id} is left out`;
    }
    return undefined;
  }),
];

function mayBeIncluded(account: GuidanceAccount | undefined, { decidedSeq }: World): boolean {
  if (account?.state === 'dropped') return account.seq > decidedSeq;
  return account?.state === 'pending';
}

/** What is wrong with the guidance in the prompt of the open attempt. */
export function misguided({ open, guidance }: Ledger, prompt: string): string | undefined {
  for (const [id, { state, text }] of guidance) {
    const isIncluded = prompt.includes(text);
    // Dropped after the attempt began: its prompt may have been written before or after that.
    if (state === 'dropped' && open?.guidance.includes(id)) continue;
    if (isIncluded !== open?.guidance.includes(id)) return `${id} is ${isIncluded ? '' : 'not '}in the prompt`;
  }
  return undefined;
}

/** Records an accepted command about guidance. */
export function enterGuidance(
  { guidance }: Ledger,
  { id, command, text = '', standing, number }: FactData<'command.accepted'>,
  seq: number,
): void {
  if (command === 'guide') {
    guidance.set(id, { state: 'pending', seq, number: guidance.size + 1, text, isStanding: standing === true });
  }
  if (command !== 'drop') return;
  for (const [each, account] of guidance) {
    const isMeant = number === undefined || account.number === number;
    if (isMeant && account.state !== 'delivered') guidance.set(each, { ...account, state: 'dropped', seq });
  }
}

/** Changes the state of the open attempt's guidance, except where it was dropped. */
export function moveGuidance(
  { guidance }: Ledger,
  ids: readonly string[],
  { state, seq }: Pick<GuidanceAccount, 'state' | 'seq'>,
): void {
  for (const id of ids) {
    const account = guidance.get(id);
    if (account === undefined || account.state === 'dropped') continue;
    const next = account.isStanding && state === 'delivered' ? 'pending' : state;
    guidance.set(id, { ...account, state: next, seq });
  }
}

/** What is wrong with the guidance of a loop at rest. */
export function misplacedGuidance({ guidance, ended }: Ledger, { loop }: World): string | undefined {
  const kept = new Set(loop.commands.guidance.map(({ id }) => id));
  for (const [id, { state }] of guidance) {
    const isOver = state === 'delivered' || state === 'dropped';
    if (isOver && kept.has(id)) return `${id} was ${state} and is pending`;
    if (state === 'pending' && ended === 0 && !kept.has(id)) return `${id} is lost`;
  }
  return undefined;
}
