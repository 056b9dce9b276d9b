import { randomUUID } from 'node:crypto';
import { alignUuid, createLoopId, failures, LoopError, slugLoopId } from '../base/index.ts';
import { type BroughtBy, fillFromPrompt, type Given } from '../config/index.ts';
import { createTemporaryFolder, look, nodeFiles, quietly } from '../files/index.ts';
import { assertCleanPossible, type GatePlan, type ProtectedBase, planGate, withBase } from '../gate/index.ts';
import { checkConfig, type FactData, type LoopConfig, protectionOf, type Worktree } from '../protocol/index.ts';
import type { AgentPort } from '../runner/index.ts';
import type { LoopFolders } from '../store/index.ts';
import { currentCommit, excludeFromCommits, isFolder, malformedPattern } from '../workspace/index.ts';
import { createFileLoopStore, type FileLoopStore } from './adapters/file-loop-store.ts';
import { type ReadPrompt, readPrompt, taskOf } from './adapters/prompt-source.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import type { Registry } from './adapters/registry-port.ts';
import {
  type AppContext,
  adapterFor,
  assertAgentInstalled,
  assertBudgetsMeasurable,
  assertModePossible,
} from './agent-programs.ts';
import type { TargetPlace } from './backups/targets.ts';
import { assertBoundsWork, withTimeZone } from './bounds.ts';
import { createIn } from './create-in.ts';
import { type DrivenLoop, driveLoop } from './driven-loop.ts';
import { legacyLoopWarnings } from './import/legacy-loop.ts';
import { encryptionOf } from './keys.ts';
import { assertSandboxWorks } from './loop-sandbox.ts';
import { type Machine, thisMachine } from './machine.ts';
import { assertChannelsWork, assertHooksWork } from './notifications.ts';
import { assertPatterns, type Locate } from './patterns.ts';
import { assertNotForeign, createRegistry } from './registry.ts';
import { rememberRoot } from './roots.ts';
import { continuedFact, startedFact } from './started-fact.ts';
import { type LoopPlace, openGuardedStore, openStore, placeOf } from './stores.ts';
import { assertTrusted, trustedFolder } from './trust/consent.ts';
import { projectLines, withScripts } from './trust/project-lines.ts';
import { admitLoop } from './worktree-share.ts';
import { inNewWorktree, placeToStart, planWorktree, type WorktreeRequest } from './worktree-start.ts';

/** A prompt given as text is part of the first fact, whose size is limited; a file is not. */
const maxPromptTextLength = 250_000;

/** How a loop is created. */
export interface NewLoop {
  readonly uuid?: string;
  /** The loop that this one continues. */
  readonly resumedFrom?: string;
  /** What it inherits from that loop. */
  readonly continues?: FactData<'loop.continued'>;
  /** Where it is stored; by default where the configuration says. */
  readonly place?: LoopPlace;
  /** The project to which it belongs; by default the place. */
  readonly project?: LoopPlace;
  /** The worktree in which it continues; by default, the configuration says whether it gets one. */
  readonly worktree?: Worktree;
  /** Start even if too many loops are active. */
  readonly force?: boolean;
  /** Which settings were given; the others may come from the prompt's front matter. Default: all. */
  readonly isGiven?: Given;
  /** Set aside a loop of the same id that no process runs, whatever its state. */
  readonly discardState?: boolean;
  /** Paths of the settings chosen for this loop by a flag or a variable. */
  readonly chosen?: readonly string[];
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
  /** What the project's file brings. */
  readonly brought?: BroughtBy;
  /** The interactive session that works on the loop; by default, the loop starts its agent itself. */
  readonly session?: AgentPort;
  /** Where the loop lives, if not in the state folder alone. */
  readonly openLoops?: OpenLoops;
}

/** Opens the loops of a state folder where else they live too. */
export type OpenLoops = (setting: { readonly registry: Registry; readonly machine: Machine }) => FileLoopStore;

/** Starts a loop. All input is checked before anything is created. */
export async function startLoop(given: LoopConfig, context: AppContext, request: NewLoop = {}): Promise<DrivenLoop> {
  const { uuid = randomUUID() } = request;
  const planned = await planLoop(given, context, { ...request, uuid });
  if (!getsWorktree(given, request)) return await startPlanned(planned, context, { ...request, uuid });
  return await inNewWorktree(worktreeRequest(planned, context), async ({ worktree, workingDirectory, ...opened }) => {
    const place = { workingDirectory, root: planned.project.root };
    const there = await planLoop(opened.config, context, { ...request, uuid, place });
    const oddities = [...opened.warnings, ...there.oddities];
    const { loopId, project } = planned;
    return await startPlanned({ ...there, loopId, project, oddities }, context, { ...request, uuid, worktree });
  });
}

async function startPlanned(
  { config, gate, task, loopId, oddities, place, project }: PlannedLoop,
  context: AppContext,
  request: NewLoop & { readonly uuid: string },
): Promise<DrivenLoop> {
  const { uuid, resumedFrom, continues, chosen, worktree, force = false, session } = request;
  const { workingDirectory, root } = place;
  if (!config.persistence.enabled) {
    return await withBase(config, { workingDirectory, env: context.env, loopId }, (base) =>
      startWithoutState(config, context, { workingDirectory, task, gate, base, loopId, uuid, oddities }),
    );
  }
  const store = openGuardedStore(place, context.env, encryptionOf(config, workingDirectory));
  const admission = { force, exclusive: config.exclusive, workingDirectory, env: context.env };
  const offered = legacyLoopWarnings(project);
  await createIn(root, async () => {
    assertNotForeign(project);
    assertNotDriven(store, loopId);
    // A refused loop leaves no folder behind.
    if (look(nodeFiles, root) === undefined) await admitLoop(project, admission);
  });
  return await withBase(config, { workingDirectory, env: context.env, loopId }, async (base) => {
    const head = await currentCommit(workingDirectory, context.env);
    const origin = { workingDirectory, worktree, resumedFrom, chosen, traceparent: context.env['TRACEPARENT'] };
    const identity = { loopId, uuid: alignUuid(loopId, uuid), task, gate, base, head, ...origin };
    const facts = [startedFact(config, identity), ...continuedFact(continues)];
    return await createIn(root, async (reportCreated) => {
      store.prepare();
      const registry = createRegistry(project);
      return await registry.whileLocked(async () => {
        const room = await admitLoop(project, admission);
        const aside = request.discardState === true ? store.putAside(loopId) : [];
        const discarded = aside.map((folder) => `The earlier state of this loop was set aside: ${folder}`);
        const warnings = [...gate.warnings, ...room, ...oddities, ...offered, ...discarded];
        const setting = { registry, machine: thisMachine };
        const loops = request.openLoops?.(setting) ?? createFileLoopStore(store, setting);
        const loop = await loops.create(loopId);
        reportCreated();
        rememberRoot(project, context.env);
        quietly(() => excludeFromCommits(root));
        return await driveLoop(loop, { facts, root, context, warnings, ...(session === undefined ? {} : { session }) });
      });
    });
  });
}

/** Refuses what a start in the background would refuse, as far as that is known before the loop is created. */
export async function assertStartable(given: LoopConfig, context: AppContext, request: NewLoop = {}): Promise<void> {
  const { uuid = randomUUID(), force = false } = request;
  const planned = await planLoop(given, context, { ...request, uuid });
  const { config, loopId, place, project } = planned;
  if (!config.persistence.enabled) throw new LoopError(failures.backgroundNeedsState());
  assertNotForeign(project);
  assertNotDriven(openStore(project), loopId);
  const isMoved = getsWorktree(given, request);
  const { workingDirectory } = isMoved
    ? { workingDirectory: (await planWorktree(worktreeRequest(planned, context))).path }
    : place;
  await admitLoop(project, { force, exclusive: config.exclusive, workingDirectory, env: context.env });
}

function getsWorktree({ worktree }: LoopConfig, request: NewLoop): boolean {
  return worktree !== false && request.worktree === undefined;
}

function worktreeRequest({ config, place, project, loopId }: PlannedLoop, { env }: AppContext): WorktreeRequest {
  return { config, workingDirectory: place.workingDirectory, project, loopId, env };
}

interface PlannedLoop {
  /** Where it works, and where its state is. */
  readonly place: LoopPlace;
  /** The project to which it belongs. */
  readonly project: LoopPlace;
  readonly config: LoopConfig;
  readonly gate: GatePlan;
  readonly task: string;
  readonly loopId: string;
  readonly oddities: readonly string[];
}

async function planLoop(
  given: LoopConfig,
  context: AppContext,
  { uuid, isGiven = () => true, locate, ...wanted }: NewLoop & { readonly uuid: string },
): Promise<PlannedLoop> {
  const project = placeToStart(given, context.cwd);
  const place = wanted.place ?? { ...placeOf(given, context.cwd), root: project.root };
  const { workingDirectory } = place;
  const inSession = wanted.session !== undefined;
  const { brought = { folder: context.cwd, lines: [] } } = wanted;
  const surroundings = { workingDirectory, root: place.root, isGiven, locate, inSession, brought };
  const ready = await preflight(given, context, surroundings);
  const { config, prompt, gate, warnings } = ready;
  const task = taskOf(ready, config);
  const title = redactorFor(context.env, config).redact(prompt.metadata.name ?? task);
  // Refused before anything is created. The name of a folder is not encrypted, so it says nothing about the task.
  const isEncrypted = encryptionOf(config, workingDirectory) !== undefined;
  const name = isEncrypted ? 'loop' : title;
  const loopId = config.loopId === undefined ? createLoopId(name, uuid) : slugLoopId(config.loopId, uuid);
  const home = wanted.project ?? (wanted.place === undefined ? project : place);
  return { place, project: home, config, gate, task, loopId, oddities: warnings };
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

/** A loop whose temporary files, which the agent needs, are removed when it ends. */
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
      head: await currentCommit(workingDirectory, context.env),
      worktree: undefined,
      resumedFrom: undefined,
      chosen: undefined,
      traceparent: context.env['TRACEPARENT'],
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
        'This loop keeps no state: once its process ends, it cannot be resumed.',
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

/** A running loop of that name is reported with its owner; a resting one is refused by the store. */
function assertNotDriven(store: LoopFolders, loopId: string): void {
  if (!store.list().includes(loopId)) return;
  const owner = store.owner(loopId);
  if (owner?.liveness === 'alive') throw new LoopError(failures.loopLocked(loopId, owner));
}

interface Preflight extends ReadPrompt {
  /** Adds the settings from the prompt's front matter. */
  readonly config: LoopConfig;
  readonly gate: GatePlan;
}

interface Surroundings {
  readonly workingDirectory: string;
  readonly root: string;
  readonly isGiven: Given;
  readonly locate: Locate | undefined;
  readonly inSession: boolean;
  readonly brought: BroughtBy;
}

/** Refuses what cannot work, and returns the task and its checks. */
async function preflight(
  given: LoopConfig,
  context: AppContext,
  { workingDirectory, root, isGiven, locate, inSession, brought }: Surroundings,
): Promise<Preflight> {
  const [problem] = checkConfig(given);
  if (problem !== undefined) throw new LoopError(problem);
  assertPatternsWork(given);
  assertPatterns(given, locate);
  const { prompt = '' } = given;
  if (prompt.length > maxPromptTextLength) {
    throw new LoopError(failures.promptTooLong(prompt.length, maxPromptTextLength));
  }
  if (!isFolder(workingDirectory)) throw new LoopError(failures.workingDirMissing(workingDirectory));
  const { env, templates } = context;
  const read = await readPrompt(given, { workingDirectory, env, templates });
  const config = withTimeZone(fillFromPrompt(given, read.prompt.metadata, isGiven));
  const adapter = adapterFor(config, context);
  if (!inSession) assertAgentInstalled(adapter, config, { workingDirectory, env: context.env });
  assertBudgetsMeasurable(adapter, config, inSession);
  assertModePossible(adapter, config, inSession);
  await assertBoundsWork(config, { workingDirectory, env: context.env });
  assertChannelsWork(config, { workingDirectory, env: context.env });
  assertHooksWork(config, { workingDirectory, env: context.env });
  await assertBackupsWork(config, { workingDirectory, env: context.env });
  if (!inSession) await assertSandboxWorks({ config, adapter, place: { workingDirectory, root }, env });
  const gate = planGate(config, { workingDirectory, env: context.env });
  const agentFiles = inSession ? [] : (adapter.projectFiles ?? []);
  const lines = [
    ...withScripts(brought.lines, workingDirectory),
    ...projectLines({ gate, prompt: read.prompt, isGiven, agentFiles, workingDirectory }),
  ];
  await assertTrusted({ folder: trustedFolder(brought.folder), lines }, context);
  await assertCleanPossible(config, { workingDirectory, env: context.env });
  return { ...read, config, gate };
}

async function assertBackupsWork(config: LoopConfig, place: TargetPlace): Promise<void> {
  if (config.backup.targets.length === 0) return;
  const { assertTargetsWork } = await import('./backups/targets.ts');
  await assertTargetsWork(config, place);
}

function assertPatternsWork(config: LoopConfig): void {
  const malformed = malformedPattern(protectionOf(config.protect).paths);
  if (malformed !== undefined) throw new LoopError(failures.badGlob(malformed));
}
