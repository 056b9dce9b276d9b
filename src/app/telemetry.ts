import path from 'node:path';
import { LoopError, type Redactor } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { quietly, readEnd, writeFileDurably } from '../files/index.ts';
import type { RecordedFact, TraceVariables } from '../protocol/index.ts';
import type { LoopFolders, RootedPlace } from '../store/index.ts';
import { createTelemetry, readCursor, readSettings, type TelemetrySettings, writeCursor } from '../telemetry/index.ts';
import type { FileLoop } from './adapters/file-loop.ts';
import { readFacts } from './adapters/whole-journal.ts';
import { thisMachine } from './machine.ts';
import { readLoop } from './read-loops.ts';
import { openStore } from './stores.ts';

/** Exports what a loop does. Nothing in it can delay or fail the loop. */
export interface LoopTelemetry {
  observe(facts: readonly RecordedFact[]): void;
  readonly variables: TraceVariables;
  /** Waits briefly for what is being sent. */
  settle(): Promise<void>;
}

/** What the telemetry of a loop needs to know about it. */
export interface TelemetrySetting {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly redactor: Redactor;
}

/** The file in a loop's folder that says how far its spans have been sent. */
const cursorFile = 'telemetry.json';
const maxFileBytes = 64 * 1024;
/** How long a run that is over waits for the collector. */
const graceMs = 2_000;

/** The telemetry of a loop that this process owns; it continues where an earlier process stopped. */
export function telemetryFor(owned: FileLoop, setting: TelemetrySetting): LoopTelemetry {
  const settings = readSettings(setting.env);
  const { loopId, problems, place } = owned;
  for (const problem of settings.problems) problems.report(problem);
  const attempt = (step: () => void) => problems.attempt('Telemetry failed', step);
  const own = exportOf(settings, setting, {
    loopId,
    place,
    report: problems.report,
    save: (text) => attempt(() => owned.keepFile(cursorFile, text)),
  });
  // Also says that this loop has something to send, should this process die before it does.
  if (settings.traces !== undefined) own.keep();
  const others = settings.traces === undefined ? [] : leftOvers(settings, setting, loopId);
  return {
    observe: (facts) => attempt(() => own.telemetry.observe(facts)),
    variables: own.telemetry.variables,
    settle: async () => {
      await Promise.all([own.telemetry, ...others].map((each) => each.settle()));
    },
  };
}

interface Exported {
  readonly loopId: string;
  readonly place: Pick<RootedPlace, 'files' | 'folder' | 'protection'>;
  readonly report: (message: string) => void;
  readonly save: (text: string) => void;
}

function exportOf(settings: TelemetrySettings, { root, redactor }: TelemetrySetting, exported: Exported) {
  const { loopId, place, report, save } = exported;
  const cursor = readCursor(readText(place));
  const telemetry = createTelemetry(settings, cursor, {
    clock: thisMachine.clock,
    facts: () => readFacts({ root }, loopId),
    save: (reached) => save(writeCursor(reached)),
    redact: (value) => redactor.redactDeep(value),
    report,
    isTerse: place.protection !== undefined,
    graceMs,
  });
  return { telemetry, keep: () => save(writeCursor(cursor)) };
}

const maxLeftOvers = 20;

/** Loops here that are over, and whose process died, or had no collector to send to, before everything was sent. */
function leftOvers(settings: TelemetrySettings, setting: TelemetrySetting, ownId: string) {
  const { metrics: _, ...onlyTraces } = settings;
  const store = openStore(setting);
  const left = store
    .list()
    .filter((loopId) => loopId !== ownId && isLeft(store, loopId))
    .slice(0, maxLeftOvers);
  return left.map((loopId) => {
    const place = store.place(loopId);
    const save = (text: string) => quietly(() => writeText(place, text));
    return exportOf(onlyTraces, setting, { loopId, place, report: () => {}, save }).telemetry;
  });
}

/** The next owner of a loop that is not over sends what is left of it. */
function isLeft(store: LoopFolders, loopId: string): boolean {
  try {
    const text = readText(store.place(loopId));
    if (text === undefined || readCursor(text).isOver) return false;
    const { loop, owner } = readLoop(store, loopId);
    return isTerminal(loop.status) && owner?.liveness !== 'alive';
  } catch (error) {
    if (error instanceof LoopError) return false;
    throw error;
  }
}

function readText({ files, folder }: Exported['place']): string | undefined {
  try {
    return readEnd(files, path.join(folder, cursorFile), maxFileBytes).toString();
  } catch {
    return undefined;
  }
}

function writeText({ files, folder }: Exported['place'], text: string): void {
  writeFileDurably(files, path.join(folder, cursorFile), Buffer.from(text));
}
