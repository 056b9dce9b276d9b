import { failures, LoopError } from '../base/index.ts';
import { allowedCommands, historyOf, isTerminal, type Loop } from '../core/index.ts';
import { toAnalyticsDocument, toAnalyticsIteration } from '../formats/index.ts';
import { type Fact, type RecordedFact, readFact } from '../protocol/index.ts';
import { createRecorder } from '../runner/index.ts';
import { type LoopOnDisk, type OpenLoop, type RecoverySource, readWholeJournal } from '../store/index.ts';
import { endLeftovers, markerOf } from './adapters/agent-port.ts';
import { own } from './adapters/file-loop-store.ts';
import { foldState } from './adapters/fold-state.ts';
import { endLeftWork } from './adapters/left-work.ts';
import { thisMachine, timestamp } from './machine.ts';
import { findLoopId } from './read-loops.ts';
import { createRegistry } from './registry.ts';
import { onCommandLine } from './send-command.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** What a recovery found and did, or would do. */
export interface RecoverReport {
  readonly loopId: string;
  readonly dryRun: boolean;
  readonly status: string;
  readonly iteration: number;
  /** The number of the journal's last line. */
  readonly lastSeq: number;
  /** What the state was rebuilt from. */
  readonly source: RecoverySource;
  readonly problems: readonly string[];
  /** What was done; nothing when nothing had to be. */
  readonly done: readonly string[];
}

/** What to do beyond looking. */
export interface RecoverOptions {
  readonly dryRun: boolean;
  /** Acknowledge that the loop's owner died, and end it as crashed. */
  readonly markCrashed: boolean;
}

/** Rebuilds the state of a loop that no process runs from whatever is left of it. Doing it twice changes nothing more. */
export async function recoverLoop(
  place: LoopPlace,
  query: string | undefined,
  { dryRun, markCrashed }: RecoverOptions,
): Promise<RecoverReport> {
  const store = openStore(place);
  const loopId = findLoopId(place, query);
  const found = store.read(loopId);
  const loop = foldState(found);
  if (found.owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, found.owner));
  if (markCrashed && loop.status !== 'running' && loop.status !== 'completing') {
    const why = isTerminal(loop.status) ? 'that never changes' : 'only a loop that lost its process can have crashed';
    throw noCrash(loop, `it is ${loop.status}, and ${why}`);
  }
  if (markCrashed && found.owner === undefined && loop.pending.wakeAt !== undefined) {
    throw noCrash(loop, 'it waits, and its process left in order');
  }
  const planned = plannedSteps(found, markCrashed);
  if (dryRun || planned.length === 0) return reportOf(found, loop, { dryRun, done: planned });
  const after = await carryOut(store.open(loopId), { place, markCrashed });
  return reportOf(found, after, { dryRun, done: planned });
}

function noCrash(loop: Loop, why: string): LoopError {
  return new LoopError(
    failures.commandRefused(loop.id, 'record a crash of', why, onCommandLine(allowedCommands(loop))),
  );
}

/**
 * The loop, if it has ended. A process that was killed between the last fact and the last snapshot leaves a state.json
 * from before the end; that is brought up to date, so that its readers learn how the loop ended. Nothing else is written.
 */
export async function endedLoop(place: LoopPlace, loopId: string): Promise<Loop | undefined> {
  const store = openStore(place);
  // One whose folder was deleted may still be put back by whoever opens it.
  if (!store.has(loopId)) return undefined;
  const found = store.read(loopId);
  const loop = foldState(found);
  if (!isTerminal(loop.status)) return undefined;
  const isOwned = found.owner !== undefined && found.owner.liveness !== 'dead';
  const isUpToDate = isOwned || plannedSteps(found, false).length === 0;
  if (!isUpToDate) await recoverLoop(place, loopId, { dryRun: false, markCrashed: false });
  return loop;
}

function plannedSteps({ source, problems, entries, owner }: LoopOnDisk, markCrashed: boolean): readonly string[] {
  return [
    ...(problems.length > 0 ? ['what is damaged is kept aside'] : []),
    ...(source.kind !== 'snapshot' || entries.length > 0 ? ['state.json is written anew'] : []),
    ...(owner === undefined ? [] : [`the note of process ${owner.pid}, which is gone, is removed`]),
    ...(markCrashed ? ['the loop is ended as crashed'] : []),
  ];
}

async function carryOut(
  open: OpenLoop,
  { place, markCrashed }: { readonly place: LoopPlace; readonly markCrashed: boolean },
): Promise<Loop> {
  await using owned = own(open, { registry: createRegistry(place), machine: thisMachine });
  const recorder = createRecorder({ loop: owned, observe: owned.observe });
  if (markCrashed) {
    const {
      position: { current },
      origin: { uuid },
      config,
    } = recorder.loop;
    if (current) await endLeftovers(markerOf(uuid, current), current.process, config.iteration.killGrace);
    await endLeftWork(recorder.loop);
    await recorder.write([crashed]);
  } else await owned.save(recorder.loop);
  rebuildAnalytics(open, recorder.loop);
  return recorder.loop;
}

const crashed: Fact = {
  type: 'loop.ended',
  data: {
    status: 'crashed',
    reason: 'recovery_failed',
    message: 'its process died, and a user gave it up',
    verified: false,
    elapsedMs: 0,
  },
};

function rebuildAnalytics(open: OpenLoop, loop: Loop): void {
  const facts = readWholeJournal(open.place).entries.flatMap((entry): RecordedFact[] => {
    const reading = readFact(entry);
    return reading.ok ? [reading.fact] : [];
  });
  const iterations = historyOf(facts).records.map(toAnalyticsIteration);
  const document = toAnalyticsDocument(loop, iterations, timestamp());
  open.writeView(['analytics', 'analytics.json'], Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`));
}

function reportOf(
  { loopId, lastSeq, source, problems }: LoopOnDisk,
  { status, position: { iteration } }: Loop,
  { dryRun, done }: Pick<RecoverReport, 'dryRun' | 'done'>,
): RecoverReport {
  const messages = problems.map(({ message }) => message);
  return { loopId, dryRun, status, iteration, lastSeq, source, problems: messages, done };
}
