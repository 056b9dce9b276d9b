import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopError } from '../base/index.ts';
import {
  expositionText,
  type FailureTally,
  fleetMetricsOf,
  foldMetrics,
  type MeasuredLoop,
  type NumberedLoop,
  type Numbers,
  noJournalMetrics,
  numbersOf,
  replay,
  tallyFailure,
} from '../core/index.ts';
import { type FoundLoop, type LoopFolders, readFactsOfLoop } from '../store/index.ts';
import { shownStatusOf } from '../views/index.ts';
import { typedFact } from './adapters/fold-state.ts';
import type { UnreadableLoop } from './loop-view.ts';
import { localTimeZone } from './machine.ts';
import { ownerStateOf } from './owner-state.ts';
import { readLoop } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/**
 * Figures about all loops of some places, for a server that is asked again and again. Only what was recorded since the
 * last call is read, a loop at a time, so that others are answered meanwhile.
 */
export interface FleetFigures {
  /** The metrics of all loops as OpenMetrics text. */
  openMetrics(): Promise<string>;
  /** What the loops brought, and what that took. */
  numbers(options?: NumbersOptions): Promise<FleetNumbers>;
}

/** Which loops are counted, and how days are told apart. */
export interface NumbersOptions {
  /** Only loops that started since then. */
  readonly sinceMs?: number | undefined;
  /** By default that of this machine. */
  readonly timeZone?: string | undefined;
}

/** The numbers of all loops that can be read. */
export interface FleetNumbers extends Numbers {
  readonly unreadable: readonly UnreadableLoop[];
}

/** Figures about the loops that are in the given places whenever they are asked for. */
export function createFleetFigures(places: () => readonly Pick<LoopPlace, 'root'>[]): FleetFigures {
  let known: ReadonlyMap<string, KnownLoop> = new Map();
  let last: Promise<unknown> = Promise.resolve();
  const readNow = async () => {
    const fleet = await readFleet(places(), known);
    known = fleet.loops;
    return { loops: [...fleet.loops.values()], unreadable: fleet.unreadable };
  };
  // One after the other, so that no two read the same journals.
  const read = async () => {
    const reading = last.then(readNow, readNow);
    last = reading;
    return await reading;
  };
  return {
    async openMetrics() {
      const { loops, unreadable } = await read();
      return expositionText(fleetMetricsOf(loops, unreadable.length), 'openmetrics');
    },
    async numbers({ sinceMs, timeZone = localTimeZone() } = {}) {
      const { loops, unreadable } = await read();
      const isWanted = ({ loop }: KnownLoop) =>
        sinceMs === undefined || Date.parse(loop.origin.startedAt ?? '') >= sinceMs;
      return { ...numbersOf(loops.filter(isWanted).map(numbered), timeZone), unreadable };
    },
  };
}

/** A loop as it was when it was last looked at. */
interface KnownLoop extends MeasuredLoop {
  /** Changes with whatever is recorded about it. */
  readonly mark: string;
  readonly tally: FailureTally;
}

interface Fleet {
  readonly loops: ReadonlyMap<string, KnownLoop>;
  readonly unreadable: readonly UnreadableLoop[];
}

async function readFleet(
  places: readonly Pick<LoopPlace, 'root'>[],
  known: ReadonlyMap<string, KnownLoop>,
): Promise<Fleet> {
  const loops = new Map<string, KnownLoop>();
  const unreadable: UnreadableLoop[] = [];
  for (const root of new Set(places.map((place) => place.root))) {
    const store = openStore({ root });
    for (const found of store.loops()) {
      const key = JSON.stringify([root, found.loopId]);
      const before = known.get(key);
      try {
        const now = readAgain(store, found, before);
        loops.set(key, now);
        if (now === before) continue;
      } catch (error) {
        if (!(error instanceof LoopError)) throw error;
        // It may have been removed since the list was read.
        if (store.has(found.loopId)) unreadable.push({ loopId: found.loopId, error });
      }
      await nextTurn();
    }
  }
  return { loops, unreadable };
}

function readAgain(store: LoopFolders, { loopId }: FoundLoop, known: KnownLoop | undefined): KnownLoop {
  const mark = store.mark(loopId);
  if (known?.mark === mark) return known;
  // A new segment may be that of an owner who continues from an earlier fact than was read.
  const isSame = known !== undefined && segmentOf(known.mark) === segmentOf(mark);
  const read = isSame ? readOn(store, known) : readWhole(store, loopId);
  const { loop } = read;
  const ownerState = ownerStateOf(store.owner(loopId));
  return {
    ...read,
    mark,
    isEncrypted: store.isProtected(loopId),
    shownStatus: shownStatusOf({ status: loop.status, wakeAt: loop.pending.wakeAt }, ownerState),
  };
}

function segmentOf(mark: string): string {
  return mark.slice(0, mark.indexOf(':'));
}

type Folded = Pick<KnownLoop, 'loop' | 'journal' | 'tally'>;

/** The loop as it can be recovered, even if its journal is damaged. */
function readWhole(store: LoopFolders, loopId: string): Folded {
  const { loop } = readLoop(store, loopId);
  const facts = factsAfter(store, loopId, 0).filter(({ seq }) => seq <= loop.journal.seq);
  return {
    loop,
    journal: facts.reduce(foldMetrics, noJournalMetrics),
    tally: facts.reduce(tallyFailure, { agent: loop.origin.agent, counts: [] }),
  };
}

function readOn(store: LoopFolders, { loop, journal, tally }: KnownLoop): Folded {
  const facts = factsAfter(store, loop.id, loop.journal.seq);
  return {
    loop: replay(facts, loop),
    journal: facts.reduce(foldMetrics, journal),
    tally: facts.reduce(tallyFailure, tally),
  };
}

function factsAfter(store: LoopFolders, loopId: string, seq: number) {
  return [...readFactsOfLoop(store.place(loopId), seq)].map((entry) => typedFact(loopId, entry));
}

function numbered({ loop, journal, tally }: KnownLoop): NumberedLoop {
  return { loop, model: journal.model, failures: tally.counts };
}
