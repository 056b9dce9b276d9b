import { isTerminal, mustAsk } from '../../core/index.ts';
import { readFact } from '../../protocol/index.ts';
import { type JournalEntry, readWholeJournal } from '../../store/index.ts';
import { foldState } from '../adapters/fold-state.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/** Why a loop is not resumed automatically. */
export interface NotResumed {
  readonly why: string;
  readonly hasEnded: boolean;
}

/** Why only a person can resume the loop, or nobody can; undefined for a loop interrupted by a reboot or a crash. */
export function whyNotResumed(place: LoopPlace, loopId: string): NotResumed | undefined {
  const store = openStore(place);
  // A loop whose folder was deleted may still be restored when it is opened.
  if (!store.has(loopId)) return undefined;
  const found = store.read(loopId);
  const loop = foldState(found);
  const { status, outcome } = loop;
  if (isTerminal(status)) return { why: `it is ${status}`, hasEnded: true };
  if (found.owner?.liveness === 'alive') return { why: `process ${found.owner.pid} runs it`, hasEnded: false };
  if (mustAsk(loop)) return { why: 'it is attended and has to ask a person', hasEnded: false };
  if (status !== 'paused') return undefined;
  const { reason = 'unknown' } = outcome;
  if (reason !== 'interrupted') return { why: `it is paused (${reason})`, hasEnded: false };
  const { entries } = readWholeJournal(store.place(loopId));
  return entries.map(interruptingSignal).findLast((signal) => signal !== undefined) === 'SIGINT'
    ? { why: 'a person interrupted it', hasEnded: false }
    : undefined;
}

/** SIGINT comes from a keyboard; other signals may also come from a system that shuts down. */
function interruptingSignal(entry: JournalEntry): string | undefined {
  const reading = readFact(entry);
  if (!reading.ok || reading.fact.type !== 'command.accepted') return undefined;
  const { command, signal } = reading.fact.data;
  return command === 'interrupt' ? signal : undefined;
}
