import path from 'node:path';
import type { Redactor, Secret } from '../base/index.ts';
import { isTerminal, type Loop, replay } from '../core/index.ts';
import { nodeCareFiles, quietly } from '../files/index.ts';
import { createGate } from '../gate/index.ts';
import type { Keeper } from '../process/index.ts';
import { type Fact, type LoopConfig, loopEnvironment, protectionOf, type RecordedFact } from '../protocol/index.ts';
import { type AgentPort, createDrive, type Drive, type FollowOptions, type PromptSource } from '../runner/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { removeLeftovers } from '../store/index.ts';
import { createDiffStore, createPathMatcher, encloseGit, realFolder } from '../workspace/index.ts';
import { createAgentPort, createLoopKeeper } from './adapters/agent-port.ts';
import { createConditionsPort } from './adapters/conditions-port.ts';
import { createFileCommandBus } from './adapters/file-command-bus.ts';
import { createFileEventBus } from './adapters/file-event-bus.ts';
import type { FileLoop } from './adapters/file-loop.ts';
import { createFilePulses, type FilePulses } from './adapters/file-pulses.ts';
import { historyFileOf } from './adapters/history-file.ts';
import { createHooksPort } from './adapters/hooks-port.ts';
import { endOrphanedWork } from './adapters/orphaned-work.ts';
import { createNotesReader } from './adapters/progress-notes.ts';
import { createPromptSource } from './adapters/prompt-source.ts';
import { redactFact, redactorFor, showFact } from './adapters/redact-facts.ts';
import { createWorkspacePort } from './adapters/workspace-port.ts';
import { type AppContext, adapterFor } from './agent-programs.ts';
import { createAuditLog } from './audit.ts';
import type { BackupSetting, LoopBackups } from './backups/loop-backups.ts';
import { followLoop } from './follow-loop.ts';
import { warnOfVersion } from './list-agents.ts';
import { sandboxFor } from './loop-sandbox.ts';
import { thisMachine } from './machine.ts';
import { notifierFor, secretsOfSettings } from './notifications.ts';
import type { Problems } from './problems.ts';
import { removeRestart } from './restart/restart.ts';
import { diffPlaceOf, gatesRoot, type LoopPlace, openStore, ownFolders } from './stores.ts';
import type { LoopTelemetry, TelemetrySetting } from './telemetry.ts';
import { isTelemetryWanted } from './telemetry-wanted.ts';
import { assertLoopTrusted, rememberLoop } from './trust/loop-lines.ts';

/** A loop that this process owns and can run. */
export interface DrivenLoop extends AsyncDisposable {
  readonly drive: Drive;
  readonly folder: string;
  /** Where it lives. */
  readonly place: LoopPlace;
  /** The loop before this process opened it; missing for a new one. */
  readonly before: Loop | undefined;
  /** The facts written while opening, for those who follow the loop from its start. */
  readonly opening: readonly RecordedFact[];
  /** Problems repaired in the state on disk, and later ones that did not stop the loop. */
  readonly problems: Problems;
  /** Whether the loop is encrypted: nothing about it may be written elsewhere in clear text. */
  readonly isEncrypted: boolean;
  /** Removes the loop's secrets before something is shown. */
  readonly redactor: Redactor;
  /** Waits briefly for notifications and backups under way, then drops them; called once the loop has ended or rests. */
  readonly settle: () => Promise<void>;
  /** Calls back with what the loop is doing right now, redacted; with undefined when a step is over. */
  readonly onPulse: FilePulses['listen'];
  /** The loop's facts from its journal, redacted for display. */
  readonly follow: (options: FollowOptions) => AsyncIterable<RecordedFact>;
}

/** What is needed to run a loop. */
export interface Wiring {
  /** The first facts of this owner. */
  readonly facts: readonly Fact[];
  readonly root: string;
  readonly context: AppContext;
  /** Warnings for the user before the loop starts. */
  readonly warnings?: readonly string[];
  /** An agent in an interactive session, instead of one that this process starts, even to ask for its version. */
  readonly session?: AgentPort;
}

/** The composition root: wires a loop to its adapters and writes the first facts of its owner. */
export async function driveLoop(owned: FileLoop, wiring: Wiring): Promise<DrivenLoop> {
  for (const warning of wiring.warnings ?? []) owned.problems.report(warning);
  try {
    const { loop } = owned.recovered;
    if (loop !== undefined) await assertLoopTrusted(loop, wiring, wiring.context);
    return await wire(owned, wiring);
  } catch (error) {
    await owned.close();
    throw error;
  }
}

async function wire(owned: FileLoop, { facts, root, context, session }: Wiring): Promise<DrivenLoop> {
  const { folder, problems, files } = owned;
  const [{ clock }, { env }] = [thisMachine, context];
  const ahead = loopAhead(owned, facts);
  const {
    id: loopId,
    config,
    origin: { workingDirectory, uuid },
    gate: { base, environment },
  } = ahead;
  const [own, folders] = [ownFolders({ root }, env), openStore({ root })];
  const secrets = [...secretsOfSettings(config, { workingDirectory, env }), ...(await secretsOfBackups(ahead, env))];
  const redactor = redactorFor(env, config, secrets);
  const adapter = adapterFor(config, context);
  const place = { workingDirectory, root };
  const sandbox = session === undefined ? await sandboxFor({ config, adapter, place, folder, env }) : undefined;
  dropClearDiffs(owned); // of an owner that died
  const loopEnv = loopEnvironment(env, { id: loopId, stateDir: root, agent: config.agent });
  const [looking, keeper] = [lookThrough(sandbox, workingDirectory), createLoopKeeper({ uuid, loopId, env: loopEnv })];
  const workspace = workspaceOf({ owned, loop: ahead, own, keeper }, env);
  const telemetry = await createTelemetry(owned, { root, env, redactor });
  const setting = { config, workingDirectory, env: loopEnv, uuid, trace: telemetry.variables, sandbox };
  const { report } = problems;
  const agentSetting = { ...setting, adapter, loopId, files, clock, redact: redactor.redact, report };
  const pulses = createFilePulses({ folder, files: owned.place.files, redact: redactor.redact });
  const notifier = notifierFor(owned, { ...setting, root, redactor, bell: context.bell });
  const backups = await createBackups(owned, { ...setting, redactor, record: async (fact) => await drive.note(fact) });
  const { signOfLife } = workspace;
  const agents = createAgentPort({ ...agentSetting, keeper, signOfLife, permitFile: owned.permitFile });
  const drive = createDrive({
    loop: owned,
    clock,
    files,
    agent: session ?? agents,
    gate: createGate({
      ...setting,
      loopId,
      base,
      own,
      gates: gatesRoot(env),
      environment,
      startFile: files.baselines.start,
    }),
    hooks: createHooksPort(setting),
    conditions: createConditionsPort(setting),
    workspace,
    prompt: promptOf(config, { root, workingDirectory, redact: redactor.redact, report }, context),
    commands: owned.commands ?? createFileCommandBus({ folders, events: createFileEventBus(folders), clock }),
    redact: (fact) => redactFact(fact, redactor),
    observe: observedBy([owned, telemetry, notifier, backups, ...auditOf(owned, config, root)]),
    pulse: pulses.sink,
    endOrphanedWork,
  });
  const settle = async () => void (await Promise.all([notifier.settle(), backups.settle(), telemetry.settle()]));
  const disk = watchDisk(owned, ahead);
  const opening = await openRemembered(drive, { owned, facts, redactor, root, env });
  const heartbeat = startHeartbeat(owned, config.persistence.autoSaveInterval);
  const version = session === undefined ? [warnOfVersion(adapter, config, { context, report })] : [];
  return {
    drive,
    folder,
    place,
    before: owned.recovered.loop,
    opening: opening.map((fact) => showFact(fact, redactor)),
    problems,
    isEncrypted: owned.place.protection !== undefined,
    redactor,
    settle,
    onPulse: pulses.listen,
    follow: (options) => followLoop({ loopId, root, context }, options),
    [Symbol.asyncDispose]: async () => {
      await settle();
      for (const each of [...version, ...looking, heartbeat, disk, pulses]) each[Symbol.dispose]();
      dropClearDiffs(owned);
      await keeper[Symbol.asyncDispose]();
      await owned.close();
      if (isTerminal(drive.loop.status)) await removeRestart(loopId, { root }, env).catch(() => {});
    },
  };
}

/** Git looks at the work tree of a loop in a sandbox through it. */
function lookThrough(sandbox: Sandbox | undefined, workingDirectory: string): readonly Disposable[] {
  return sandbox === undefined ? [] : [encloseGit(realFolder(workingDirectory), (run) => sandbox.encloseRead(run))];
}

interface Opening extends Pick<Wiring, 'facts' | 'root'> {
  readonly owned: FileLoop;
  readonly redactor: Redactor;
  readonly env: AppContext['env'];
}

/** Opens the loop; before that, remembers its settings as the journal will have them, which a resume compares. */
async function openRemembered(
  drive: Drive,
  { owned, facts, redactor, root, env }: Opening,
): Promise<readonly RecordedFact[]> {
  const recorded = facts.map((fact) => redactFact(fact, redactor));
  rememberLoop(loopAhead(owned, recorded), { root }, env);
  return await drive.open(facts);
}

/** The task, and what the agent noted about its progress. */
function promptOf(
  config: LoopConfig,
  place: Parameters<typeof createNotesReader>[0],
  { env, templates }: AppContext,
): PromptSource {
  const { workingDirectory, report } = place;
  const source = createPromptSource(config, { workingDirectory, env, templates }, report);
  return config.session.progressNotes ? { ...source, notes: createNotesReader(place) } : source;
}

/** The audit log is one file for all loops, in clear text: an encrypted loop has none. */
function auditOf({ place, problems }: FileLoop, { audit }: LoopConfig, root: string) {
  return audit && !place.protection ? [createAuditLog(root, problems)] : [];
}

const noBackups: LoopBackups = { observe: () => {}, settle: async () => {} };

// Loaded only for a loop that has targets.
async function createBackups(owned: FileLoop, setting: BackupSetting): Promise<LoopBackups> {
  if (setting.config.backup.targets.length === 0) return noBackups;
  const { backupsFor } = await import('./backups/loop-backups.ts');
  return backupsFor(owned, setting);
}

const noTelemetry: LoopTelemetry = { observe: () => {}, variables: () => ({}), settle: async () => {} };

// Loaded only if the usual variables ask for it.
async function createTelemetry(owned: FileLoop, setting: TelemetrySetting): Promise<LoopTelemetry> {
  if (!isTelemetryWanted(setting.env)) return noTelemetry;
  const { telemetryFor } = await import('./telemetry.ts');
  return telemetryFor(owned, setting);
}

async function secretsOfBackups(loop: Loop, env: NodeJS.ProcessEnv): Promise<readonly Secret[]> {
  const { config, origin } = loop;
  if (config.backup.targets.length === 0) return [];
  const { secretsOfTargets } = await import('./backups/targets.ts');
  return secretsOfTargets(config, { workingDirectory: origin.workingDirectory, env });
}

interface Watched {
  readonly owned: FileLoop;
  readonly loop: Loop;
  /** Files of ralphd, which are no work. */
  readonly own: readonly string[];
  readonly keeper: Keeper;
}

function workspaceOf({ owned: { folder, files }, loop, own, keeper }: Watched, env: NodeJS.ProcessEnv) {
  const {
    config,
    origin: { workingDirectory },
  } = loop;
  const history = historyFileOf(loop);
  const diffPlace = diffPlaceOf({ folder, workingDirectory }, env);
  return createWorkspacePort({
    workingDirectory,
    ours: history === undefined ? own : [...own, history],
    env,
    trackFileChanges: config.iteration.trackFileChanges,
    baseline: files.baselines.run,
    quickly: keeper.run,
    diffs: createDiffStore(diffPlace),
    diffPlace,
    isProtected: createPathMatcher(protectionOf(config.protect).paths),
  });
}

/** Git cannot read encrypted contents, so an encrypted loop keeps no diffs beyond the process that made them. */
function dropClearDiffs({ place: { protection, folder } }: FileLoop): void {
  const diffs = path.join(folder, 'diffs');
  if (protection) quietly(() => removeLeftovers(nodeCareFiles, [{ path: diffs, bytes: 0, why: 'in clear text' }]));
}

/** Lets each one see the facts, in this order. */
function observedBy(observers: readonly Pick<FileLoop, 'observe'>[]): FileLoop['observe'] {
  return (facts, loop) => {
    for (const each of observers) each.observe(facts, loop);
  };
}

/** The loop after its first facts, computed before they are written because the adapters depend on it. */
function loopAhead({ recovered, lease }: FileLoop, facts: readonly Fact[]): Loop {
  const at = new Date(thisMachine.clock.nowMs()).toISOString();
  const seq = recovered.loop?.journal.seq ?? 0;
  const ahead = facts.map((fact, index) => ({ ...fact, seq: seq + index + 1, at, epoch: lease.epoch }));
  return replay(ahead, recovered.loop);
}

const diskEveryMs = 1_000;

/** Checks the free space with every fact, and between them while the agent works. */
function watchDisk(owned: FileLoop, { config, origin }: Loop): Disposable {
  const { minFreeDisk } = config.resources;
  if (minFreeDisk === undefined) return { [Symbol.dispose]: () => {} };
  const check = owned.requireSpace({ minFreeBytes: minFreeDisk, folders: [origin.workingDirectory, owned.folder] });
  const timer = setInterval(check, diskEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const slowestBeatMs = 60_000;
const fastestBeatMs = 1_000;

function startHeartbeat(owned: FileLoop, intervalMs: number): Disposable {
  const timer = setInterval(owned.heartbeat, Math.max(fastestBeatMs, Math.min(intervalMs, slowestBeatMs)));
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
