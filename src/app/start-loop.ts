import { createHash, randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { alignUuid, boundText, createLoopId, failures, LoopError, slugLoopId } from '../base/index.ts';
import { fillFromPrompt, type Given } from '../config/index.ts';
import { createTemporaryFolder } from '../files/index.ts';
import { assertCleanPossible, type GatePlan, type ProtectedBase, planGate, withBase } from '../gate/index.ts';
import {
  checkConfig,
  encodeConfig,
  type Fact,
  type FactData,
  type LoopConfig,
  plannedSettings,
  protectionOf,
} from '../protocol/index.ts';
import type { LoopFolders } from '../store/index.ts';
import { isFolder, malformedPattern } from '../workspace/index.ts';
import { createFileLoopStore } from './adapters/file-loop-store.ts';
import { type ReadPrompt, readPrompt, taskOf } from './adapters/prompt-source.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { type AppContext, adapterFor, assertAgentIsThere, assertBudgetsMeasurable } from './agent-programs.ts';
import { type DrivenLoop, driveLoop } from './driven-loop.ts';
import { thisMachine } from './machine.ts';
import { assertPatterns, type Locate } from './patterns.ts';
import { assertNotForeign, createRegistry, makeRoom } from './registry.ts';
import { type LoopPlace, openGuardedStore, openStore, placeOf } from './stores.ts';

/** How much of the task is kept to show it; the whole of it is in the prompt of each attempt. */
const maxTaskLength = 20_000;

/** A prompt that is text is part of the first fact, which has a greatest size; a file is not. */
const maxPromptTextLength = 250_000;

/** What may be fixed about a loop before it exists. */
export interface NewLoop {
  readonly uuid?: string;
  /** The loop this one goes on from. */
  readonly resumedFrom?: string;
  /** What it takes over from that loop. */
  readonly continues?: FactData<'loop.continued'>;
  /** Where it lives; where the configuration says, if missing. */
  readonly place?: LoopPlace;
  /** Start although too many loops are live. */
  readonly force?: boolean;
  /** Which settings somebody gave; the others may come from the front matter of the prompt. All of them, if missing. */
  readonly isGiven?: Given;
  /** Paths of the settings that were chosen for this loop, by a flag or a variable. */
  readonly chosen?: readonly string[];
  /** What the user should know before it starts. */
  readonly warnings?: readonly string[];
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}

/** Starts a loop. Everything that can be wrong is found before anything is created. */
export async function startLoop(given: LoopConfig, context: AppContext, newLoop: NewLoop = {}): Promise<DrivenLoop> {
  const { uuid = randomUUID(), resumedFrom, continues, chosen, force = false, isGiven = () => true, locate } = newLoop;
  const { workingDirectory, root } = newLoop.place ?? placeOf(given, context.cwd);
  const {
    config,
    prompt,
    gate,
    warnings: oddities,
  } = await preflight(given, context, {
    workingDirectory,
    isGiven,
    locate,
  });
  const task = taskOf(prompt, config);
  const title = redactorFor(context.env, config).redact(prompt.metadata.name ?? task);
  const loopId = config.loopId === undefined ? createLoopId(title, uuid) : slugLoopId(config.loopId, uuid);
  if (!config.persistence.enabled) {
    return await withBase(config, { workingDirectory, env: context.env, loopId }, (base) =>
      startWithoutState(config, context, { workingDirectory, task, gate, base, loopId, uuid, oddities }),
    );
  }
  const place = { workingDirectory, root };
  const store = openGuardedStore(place, context.env);
  assertNotForeign(place);
  assertNotDriven(store, loopId);
  return await withBase(config, { workingDirectory, env: context.env, loopId }, async (base) => {
    const identity = { loopId, uuid: alignUuid(loopId, uuid), task, gate, base, resumedFrom, chosen, ...place };
    const facts = [startedFact(config, identity), ...continuedFact(continues)];
    store.prepare();
    const registry = createRegistry(place);
    return await registry.whileLocked(async () => {
      const room = makeRoom(place, { force, exclusive: config.exclusive });
      const warnings = [...gate.warnings, ...room, ...oddities, ...(newLoop.warnings ?? [])];
      const loop = await createFileLoopStore(store, { registry, machine: thisMachine }).create(loopId);
      return await driveLoop(loop, { facts, root: place.root, context, warnings });
    });
  });
}

interface Unsaved {
  readonly workingDirectory: string;
  readonly task: string;
  readonly gate: GatePlan;
  readonly base: ProtectedBase | undefined;
  readonly loopId: string;
  readonly uuid: string;
  readonly oddities: readonly string[];
}

/** A loop whose files, which an agent cannot do without, go when it does. */
async function startWithoutState(config: LoopConfig, context: AppContext, loop: Unsaved): Promise<DrivenLoop> {
  const { workingDirectory, loopId, uuid, oddities, ...rest } = loop;
  const volatile = createTemporaryFolder();
  try {
    const place = { workingDirectory, root: volatile.root };
    const identity = {
      loopId,
      uuid: alignUuid(loopId, uuid),
      workingDirectory,
      ...rest,
      resumedFrom: undefined,
      chosen: undefined,
    };
    const store = openStore(place);
    store.prepare();
    const registry = createRegistry(place);
    const owned = await createFileLoopStore(store, { registry, machine: thisMachine }).create(loopId);
    const driven = await driveLoop(owned, {
      facts: [startedFact(config, identity)],
      root: place.root,
      context,
      warnings: [
        ...loop.gate.warnings,
        'This loop keeps no state: when its process ends, there is nothing left to resume.',
        ...oddities,
      ],
    });
    const dispose = async () => {
      await driven[Symbol.asyncDispose]();
      volatile[Symbol.dispose]();
    };
    return { ...driven, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    volatile[Symbol.dispose]();
    throw error;
  }
}

/** A loop of that name that somebody drives is named with its owner; one that rests is refused by the store. */
function assertNotDriven(store: LoopFolders, loopId: string): void {
  if (!store.list().includes(loopId)) return;
  const { owner } = store.read(loopId);
  if (owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, owner));
}

interface Preflight extends ReadPrompt {
  /** With the settings that only the prompt gives. */
  readonly config: LoopConfig;
  readonly gate: GatePlan;
}

interface Surroundings {
  readonly workingDirectory: string;
  readonly isGiven: Given;
  readonly locate: Locate | undefined;
}

/** Refuses what cannot work, and returns the task and what will prove it done. */
async function preflight(
  given: LoopConfig,
  context: AppContext,
  { workingDirectory, isGiven, locate }: Surroundings,
): Promise<Preflight> {
  const [problem] = checkConfig(given);
  if (problem !== undefined) throw new LoopError(problem);
  assertAvailable(given);
  assertPatterns(given, locate);
  const { prompt = '' } = given;
  if (prompt.length > maxPromptTextLength) {
    throw new LoopError(failures.promptTooLong(prompt.length, maxPromptTextLength));
  }
  if (!isFolder(workingDirectory)) throw new LoopError(failures.workingDirMissing(workingDirectory));
  const read = await readPrompt(given, workingDirectory);
  const config = fillFromPrompt(given, read.prompt.metadata, isGiven);
  const adapter = adapterFor(config, context);
  assertAgentIsThere(adapter, config, { workingDirectory, env: context.env });
  assertBudgetsMeasurable(adapter, config);
  const gate = planGate(config, { workingDirectory, env: context.env });
  await assertCleanPossible(config, { workingDirectory, env: context.env });
  return { ...read, config, gate };
}

/** Settings that are part of the contract but not implemented yet are refused, never ignored. */
function assertAvailable(config: LoopConfig): void {
  const planned = plannedSettings.find(({ isWanted }) => isWanted(config));
  if (planned !== undefined) throw new LoopError(failures.notAvailableYet(planned.name));
  const malformed = malformedPattern(protectionOf(config.protect).paths);
  if (malformed !== undefined) throw new LoopError(failures.badGlob(malformed));
}

interface Identity {
  readonly loopId: string;
  readonly uuid: string;
  readonly task: string;
  readonly gate: GatePlan;
  readonly base: ProtectedBase | undefined;
  readonly workingDirectory: string;
  readonly resumedFrom: string | undefined;
  readonly chosen: readonly string[] | undefined;
}

function startedFact(config: LoopConfig, identity: Identity): Fact {
  const { loopId, uuid, task, gate, base, workingDirectory, resumedFrom, chosen } = identity;
  const encoded = encodeConfig(config);
  return {
    type: 'loop.started',
    data: {
      loopId,
      uuid,
      task: boundTask(task),
      agent: config.agent,
      workingDirectory,
      startedBy: userName(),
      config: encoded,
      configHash: hashOf(encoded),
      ...gate.data,
      ...(base === undefined ? {} : { base }),
      ...(resumedFrom === undefined ? {} : { resumedFrom }),
      ...(chosen === undefined ? {} : { chosen: [...chosen] }),
      ...(gate.warnings.length === 0 ? {} : { warnings: [...gate.warnings] }),
    },
  };
}

function continuedFact(data: FactData<'loop.continued'> | undefined): readonly Fact[] {
  return data === undefined ? [] : [{ type: 'loop.continued', data }];
}

/** As much of a task as is kept to show it. */
export function boundTask(task: string): string {
  return boundText(task, maxTaskLength);
}

/** Notices a changed configuration. */
export function hashOf(encoded: unknown): string {
  return createHash('sha256').update(JSON.stringify(encoded)).digest('hex');
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
