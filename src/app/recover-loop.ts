import { failures, LoopError } from '../base/index.ts';
import { allowedCommands, historyOf, isTerminal, type Loop } from '../core/index.ts';
import { toAnalyticsDocument, toAnalyticsIteration } from '../formats/index.ts';
import { type Fact, type RecordedFact, readFact } from '../protocol/index.ts';
import { createRecorder } from '../runner/index.ts';
import { type LoopOnDisk, type OpenLoop, type RecoverySource, readWholeJournal } from '../store/index.ts';
import { endLeftovers, markerOf } from './adapters/agent-port.ts';
import { own } from './adapters/file-loop-store.ts';
import { foldState } from './adapters/fold-state.ts';
import { endOrphanedWork } from './adapters/orphaned-work.ts';
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
  /** What was done; empty if nothing was needed. */
  readonly done: readonly string[];
}

/** How to recover. */
export interface RecoverOptions {
  readonly dryRun: boolean;
  /** Acknowledge that the loop's owner died, and end it as crashed. */
  readonly markCrashed: boolean;
}

/** Rebuilds the state of a loop that no process runs from whatever is left of it. Idempotent. */
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
    const why = isTerminal(loop.status)
      ? 'an ended loop never changes'
      : 'only a loop whose process died can have crashed';
    throw noCrash(loop, `it is ${loop.status}; ${why}`);
  }
  if (markCrashed && found.owner === undefined && loop.pending.wakeAt !== undefined) {
    throw noCrash(loop, 'it is waiting, and its process shut down cleanly');
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
 * The loop, if it has ended. A process killed between the last fact and the last snapshot leaves an outdated state.json,
 * which is updated here so that its readers learn how the loop ended. Nothing else is written.
 */
export async function endedLoop(place: LoopPlace, loopId: string): Promise<Loop | undefined> {
  const store = openStore(place);
  // A loop whose folder was deleted may still be restored when it is opened.
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
    ...(problems.length > 0 ? ['damaged files set aside'] : []),
    ...(source.kind !== 'snapshot' || entries.length > 0 ? ['state.json rewritten'] : []),
    ...(owner === undefined ? [] : [`owner record of process ${owner.pid} removed (the process is gone)`]),
    ...(markCrashed ? ['loop ended as crashed'] : []),
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
    await endOrphanedWork(recorder.loop);
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
    message: 'its process died, and a user marked it as crashed',
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
