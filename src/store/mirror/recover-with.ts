import { failures, LoopError } from '../../base/index.ts';
import type { RootedPlace } from '../place.ts';
import type { Problem } from '../problem.ts';
import { type Recovery, recover } from '../recover.ts';
import type { Mirror } from './mirror.ts';

const losses: ReadonlySet<Problem['kind']> = new Set(['corruption', 'journal_behind']);

/** Recovers a loop whose owner has died; what its files have lost is restored from the mirror, and reported. */
export function recoverWith(mirror: Mirror, place: RootedPlace): Recovery {
  const first = attempt(place);
  if ('recovery' in first && !hasLost(first.recovery) && !mirror.goesBeyond(first.recovery.end)) return first.recovery;
  // The journal's folder may be missing as well.
  const made = mirror.hasContent() ? mirror.makeWay() : [];
  const done = mirror.hasContent() ? mirror.putBack() : [];
  if (done.length === 0) {
    if ('refusal' in first) throw first.refusal;
    if (first.recovery.end === undefined && mirror.hasContent()) throw unrecoverable(mirror, place);
    return first.recovery;
  }
  const { problems, ...recovery } = recover(place);
  const putBack = [...made, ...done].map(
    (what): Problem => ({ kind: 'rebuilt', file: place.folder, message: `While no process drove the loop, ${what}.` }),
  );
  const damaged = mirror
    .damagedCopies()
    .map((file): Problem => ({ kind: 'copy_damaged', file, message: untrusted(file) }));
  return { ...recovery, problems: [...putBack, ...damaged, ...problems] };
}

// A copy is made only of what was recorded: a loop that has one and shows nothing has lost everything.
function unrecoverable(mirror: Mirror, { loopId }: RootedPlace): LoopError {
  const findings = mirror.damagedCopies().map((file) => untrusted(file).replace(/\.$/, ''));
  return new LoopError(failures.stateUnrecoverable(loopId, ['its journal is missing', ...findings]));
}

function untrusted(file: string): string {
  return `${file}, a copy of the journal, is damaged.`;
}

function hasLost({ problems }: Recovery): boolean {
  return problems.some(({ kind }) => losses.has(kind));
}

function attempt(place: RootedPlace): { readonly recovery: Recovery } | { readonly refusal: LoopError } {
  try {
    return { recovery: recover(place) };
  } catch (refusal) {
    if (refusal instanceof LoopError && refusal.failure.code !== 'STATE_NEWER_VERSION') return { refusal };
    throw refusal;
  }
}
