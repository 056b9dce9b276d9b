import { createHash } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import { lookAtForeign, quietly } from '../../files/index.ts';
import { type FieldMapping, type ForeignLoop, readForeignLoop } from '../../formats/index.ts';
import { withBase } from '../../gate/index.ts';
import type { Fact, ForeignSystem, LoopConfig } from '../../protocol/index.ts';
import { createRecorder } from '../../runner/index.ts';
import { currentCommit, excludeFromCommits } from '../../workspace/index.ts';
import { createFileLoopStore } from '../adapters/file-loop-store.ts';
import { redactFact, redactorFor } from '../adapters/redact-facts.ts';
import type { AppContext } from '../agent-programs.ts';
import { createIn } from '../create-in.ts';
import { thisMachine } from '../machine.ts';
import { readDocument } from '../read-document.ts';
import { assertNotForeign, createRegistry } from '../registry.ts';
import { rememberRoot } from '../roots.ts';
import { startedFact } from '../started-fact.ts';
import { type LoopPlace, openGuardedStore } from '../stores.ts';
import { type FoundFile, findForeignFiles } from './foreign-files.ts';
import { importedFacts, isKeepable } from './imported-facts.ts';
import { type PlannedId, planId } from './plan-id.ts';
import { type PlannedSettings, planSettings } from './plan-settings.ts';

/** What to import, and how. */
export interface ImportRequest {
  /** A file, or a folder in which to look for loops; absolute. */
  readonly path: string;
  /** The system that wrote it; by default its content decides. */
  readonly from?: ForeignSystem | undefined;
  /** Report only. */
  readonly dryRun: boolean;
  /** The settings of the project. */
  readonly config: LoopConfig;
  readonly context: AppContext;
}

/** What was done with a file: imported, known already, or known in an earlier version. */
export type ImportResult = 'imported' | 'known' | 'changed';

/** One file, what it became, and which of its fields went where. */
export interface ImportReport {
  readonly file: string;
  readonly from: ForeignSystem;
  readonly result: ImportResult;
  readonly dryRun: boolean;
  readonly loopId: string;
  /** Its id and status in the other system. */
  readonly foreignId?: string | undefined;
  readonly foreignStatus: string;
  readonly status: string;
  readonly iteration: number;
  readonly task: string;
  readonly maxIterations: number;
  readonly mapped: readonly FieldMapping[];
  readonly kept: readonly string[];
  readonly warnings: readonly string[];
}

/** Imports loops of other systems. The files are only read; all of them are checked before anything is written. */
export async function importLoops(place: LoopPlace, request: ImportRequest): Promise<readonly ImportReport[]> {
  const read = readAll(place, request);
  if (read.length === 0) throw new LoopError(failures.nothingToImport(request.path));
  assertNotForeign(place);
  const plans: ImportPlan[] = [];
  for (const each of read) plans.push(await planImport(each, place, request));
  const fresh = request.dryRun ? [] : plans.filter(({ id }) => id.importedDigest === undefined);
  for (const plan of fresh) await carryOut(plan, place, request.context);
  return plans.map((plan) => reportOf(plan, request));
}

interface ReadLoop {
  readonly file: FoundFile;
  readonly loop: ForeignLoop;
  readonly digest: string;
}

interface ImportPlan extends ReadLoop {
  readonly id: PlannedId;
  readonly settings: PlannedSettings;
  readonly warnings: readonly string[];
}

/** The loops at a path. In a folder, files of unknown programs are skipped, and the legacy file stands back. */
function readAll({ workingDirectory }: LoopPlace, { path: wanted, from }: ImportRequest): readonly ReadLoop[] {
  const isFolder = lookAtForeign(wanted) === 'folder';
  const read = findForeignFiles(wanted, workingDirectory).flatMap((file): ReadLoop[] => {
    try {
      return [readOne(file, from)];
    } catch (error) {
      if (isFolder && error instanceof LoopError && error.code === 'DOCUMENT_UNKNOWN') return [];
      throw error;
    }
  });
  const others = read.filter(({ file, loop }) => !file.isLegacy && !isTerminal(loop.becomes));
  return read.filter(({ file, loop }) => !file.isLegacy || (others.length === 0 && !isTerminal(loop.becomes)));
}

function readOne(file: FoundFile, from: ForeignSystem | undefined): ReadLoop {
  const found = readDocument(file.path);
  if (found.text === '') throw new LoopError(failures.documentDamaged(file.name, found.why ?? 'it is empty'));
  const marker = path.join(path.dirname(file.path), 'execution-state.json');
  const beside = lookAtForeign(marker) === 'file' ? readDocument(marker) : undefined;
  const mode = beside !== undefined && 'document' in beside ? { marker: beside.document } : {};
  const loop = readForeignLoop({ name: file.name, text: found.text, ...mode }, from);
  return { file, loop, digest: createHash('sha256').update(found.text).digest('hex') };
}

async function planImport(read: ReadLoop, place: LoopPlace, { config, context }: ImportRequest): Promise<ImportPlan> {
  const { loop, file } = read;
  const id = planId(loop, file.name, place);
  const settings = await planSettings(loop, { place, config, env: context.env });
  return {
    ...read,
    id,
    settings,
    warnings: [...loop.warnings, ...whereWarnings(loop, place, id), ...settings.warnings],
  };
}

function whereWarnings(loop: ForeignLoop, { workingDirectory }: LoopPlace, { loopId }: PlannedId): readonly string[] {
  const { id, pid, workingDirectory: theirs, becomes } = loop;
  const isElsewhere = theirs !== undefined && path.resolve(workingDirectory, theirs) !== workingDirectory;
  const isDriven = pid !== undefined && becomes === 'paused' && thisMachine.isRunning(pid);
  return [
    ...(id === undefined || id === loopId
      ? []
      : [`Its id ${id} is not free or not a valid loop id: here it is ${loopId}.`]),
    ...(isElsewhere ? [`It worked in ${theirs}; here it works in ${workingDirectory}.`] : []),
    ...(isKeepable(loop) ? [] : ['It is too large to be kept whole: an export will not have its unknown fields.']),
    ...(isDriven ? [`Process ${pid} may still be running it: end that before you resume the loop here.`] : []),
  ];
}

/** Creates the loop as any other is created: facts first, everything else derived from them. */
async function carryOut(plan: ImportPlan, place: LoopPlace, { env }: AppContext): Promise<void> {
  const { settings, id, loop } = plan;
  const { config, gate, task } = settings;
  const { workingDirectory, root } = place;
  const write = async (base: Parameters<Parameters<typeof withBase>[2]>[0]) => {
    const head = await currentCommit(workingDirectory, env);
    const nothing = { worktree: undefined, resumedFrom: undefined, chosen: undefined };
    const identity = { ...id, ...nothing, task, gate, base, head, workingDirectory, startedBy: loop.owner };
    const facts: readonly Fact[] = [startedFact(config, identity), ...importedFacts(plan, plan.file.name)];
    const store = openGuardedStore(place, env);
    store.prepare();
    const registry = createRegistry(place);
    await registry.whileLocked(async () => {
      await using owned = await createFileLoopStore(store, { registry, machine: thisMachine }).create(id.loopId);
      const redactor = redactorFor(env, config);
      const redact = (fact: Fact) => redactFact(fact, redactor);
      const recorder = createRecorder({ loop: owned, observe: owned.observe, redact });
      await recorder.write(recorder.redact(facts));
    });
    rememberRoot(place, env);
    quietly(() => excludeFromCommits(root));
  };
  await createIn(root, async () => {
    if (isTerminal(loop.becomes)) await write(undefined);
    else await withBase(config, { workingDirectory, env, loopId: id.loopId }, write);
  });
}

function reportOf(plan: ImportPlan, { dryRun }: ImportRequest): ImportReport {
  const { file, loop, id, digest, settings, warnings } = plan;
  const { importedDigest } = id;
  const known = importedDigest === digest ? 'known' : 'changed';
  return {
    file: file.name,
    from: loop.from,
    result: importedDigest === undefined ? 'imported' : known,
    dryRun,
    loopId: id.loopId,
    foreignId: loop.id,
    foreignStatus: loop.status,
    status: loop.becomes,
    iteration: loop.iteration,
    task: settings.task,
    maxIterations: settings.config.maxIterations,
    mapped: loop.mapped,
    kept: loop.kept,
    warnings,
  };
}
