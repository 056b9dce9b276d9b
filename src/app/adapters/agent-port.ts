import path from 'node:path';
import type { AgentAdapter, AgentEvent, AgentReader } from '../../agents/index.ts';
import { formatSize, roughSize } from '../../base/index.ts';
import { isRateReached, isUsedUp } from '../../core/index.ts';
import { nodeFiles, readEnd } from '../../files/index.ts';
import {
  type Command,
  childEnvironment,
  createKeeper,
  endByIdentity,
  endByMarker,
  foreseeFailure,
  type Keeper,
  recoverAttempt,
  type SupervisedRun,
  supervise,
} from '../../process/index.ts';
import {
  attemptVariables,
  type Ending,
  type LoopConfig,
  type ProcessIdentity,
  provenanceVariables,
  type TraceVariables,
  type Usage,
} from '../../protocol/index.ts';
import type { AgentPort, AgentRun, AgentTask, AttemptKey, Clock, RecoverTask } from '../../runner/index.ts';
import type { Enclosed, Sandbox } from '../../sandbox/index.ts';
import { isRoot, programOf } from '../agent-programs.ts';
import { createProgressTracker, type ProgressTracker } from './agent-progress.ts';
import { isEmpty, reportOf, usedSoFar } from './agent-report.ts';
import { runNameOf, settleSandbox } from './agent-sandbox.ts';
import { type CallClock, createCallClock } from './call-clock.ts';
import { type FileAttemptFiles, promptIn } from './file-attempt-files.ts';
import { createRedlineWatch, type RedlineWatch } from './redline-watch.ts';

/** How much of the agent's text is examined; all of it stays on disk. */
const tailBytes = 256 * 1024;
/** How much of the end of its output is examined while it works. */
const shownBytes = 4 * 1024;

/** What an agent run needs. */
export interface AgentSetting {
  readonly adapter: AgentAdapter;
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly loopId: string;
  readonly uuid: string;
  readonly files: Pick<FileAttemptFiles, 'folderOf'>;
  readonly clock: Clock;
  /** Of all agents of the loop; whoever made it lets it go. */
  readonly keeper: Keeper;
  /** Removes secrets from what is shown while the agent runs. */
  readonly redact?: (text: string) => string;
  /** Receives problems that did not stop the run. */
  readonly report?: (message: string) => void;
  /** Places what it starts in the trace of the loop. */
  readonly trace?: TraceVariables | undefined;
  /** What the agent runs in; left out, it runs with all rights of its user. */
  readonly sandbox?: Sandbox | undefined;
  /** Changes when the work tree does, so that an agent that works without output does not count as idle. */
  readonly signOfLife?: (() => Promise<string>) | undefined;
  /** Until when its agents may run, for a loop that another machine may take over. */
  readonly permitFile?: string | undefined;
}

/** Runs agents through their adapter, with their files in the attempt's folder, under one keeper for all of them. */
export function createAgentPort(setting: AgentSetting): AgentPort {
  const { keeper } = setting;
  return {
    async run(task) {
      using place = openPlace(setting, task);
      return finish(setting, await run(setting, task, { ...place, keeper }), { task, ...place });
    },
    async recover(task) {
      using place = openPlace(setting, task);
      const recovered = await recover(setting, task, place);
      return recovered && finish(setting, recovered, { task, ...place });
    },
  };
}

/** The keeper of a loop's agents. */
export function createLoopKeeper({ uuid, env, loopId }: Pick<AgentSetting, 'uuid' | 'env' | 'loopId'>): Keeper {
  return createKeeper({ marker: `${uuid}/`, env, title: [loopId] });
}

/** Marks every process of an attempt through its environment. */
export function markerOf(uuid: string, { iteration, attempt }: AttemptKey): string {
  return `${uuid}/${iteration}/${attempt}`;
}

/** Ends processes that an attempt may have left running. */
export async function endLeftovers(
  marker: string,
  process: ProcessIdentity | undefined,
  killGraceMs: number,
): Promise<void> {
  if (process !== undefined) await endByIdentity(process, marker, { graceMs: killGraceMs });
  await endByMarker(marker);
}

/** Where a run writes its files, and who follows it. */
interface Place extends Disposable {
  readonly folder: string;
  readonly reader: AgentReader;
  readonly progress: ProgressTracker;
  readonly calls: CallClock;
  readonly redline: RedlineWatch;
}

function openPlace(
  { adapter, files, clock, redact = (text) => text }: AgentSetting,
  task: AgentTask | RecoverTask,
): Place {
  const folder = files.folderOf(task);
  const report = task.onProgress ?? (() => {});
  const progress = createProgressTracker({ report, now: () => new Date(clock.nowMs()).toISOString(), redact });
  const tail = adapter.streams ? undefined : watchTail(folder, progress);
  return {
    folder,
    reader: adapter.createReader({ now: () => new Date(clock.nowMs()) }),
    progress,
    calls: createCallClock(clock.nowMs, 'startedAt' in task ? task.startedAt : undefined),
    redline: createRedlineWatch(task.redline),
    [Symbol.dispose]: () => tail?.[Symbol.dispose](),
  };
}

const tailEveryMs = 1_000;

/** Periodically reads the last lines of an agent that prints no events. */
function watchTail(folder: string, progress: ProgressTracker): Disposable {
  const readTail = () => {
    try {
      progress.takeOutput(readEnd(nodeFiles, path.join(folder, 'stdout'), shownBytes).toString());
    } catch {
      // Only for display, so a failure does not matter.
    }
  };
  const timer = setInterval(readTail, tailEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function run(
  setting: AgentSetting,
  task: AgentTask,
  place: Place & { readonly keeper: Keeper },
): Promise<SupervisedRun> {
  const { adapter, config, workingDirectory, env } = setting;
  const { session, sessionId } = task;
  const launch = adapter.launch({
    config,
    program: programOf(adapter, config, env) ?? '',
    env,
    isRoot: isRoot(),
    session,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const variables = { ...attemptVariables(task), ...provenanceVariables(config), ...setting.trace?.('agent', task) };
  const extra = { ...launch.env, ...config.iteration.env, ...variables };
  const own = childEnvironment(env, { agentSecrets: launch.secrets, only: allowedOnly(config), extra }).env;
  const foreseen = setting.sandbox && foreseenRun(launch.command, { cwd: workingDirectory, env: own });
  if (foreseen !== undefined) return foreseen;
  return await supervise({
    ...watching(setting, task, place),
    ...enclosed(setting, task, { command: launch.command, env: own, cwd: workingDirectory }),
    cwd: workingDirectory,
    stdinPath: promptIn(place.folder),
    title: [setting.loopId, String(task.iteration)],
    keeper: place.keeper,
    onRunnerLoss: config.iteration.onRunnerLoss,
    permitFile: setting.permitFile,
    permitMs: task.permit && task.permit.untilMs - setting.clock.nowMs(),
    onStarted: async (agent) => {
      await task.onStarted(agent, setting.sandbox?.mode);
      place.progress.started({ pid: agent.pid });
    },
  });
}

function allowedOnly({ env, envAllow, sandbox }: LoopConfig): readonly string[] | undefined {
  return env === 'strict' || sandbox === 'strict' ? envAllow : undefined;
}

function enclosed({ sandbox }: AgentSetting, task: AgentTask, run: Omit<Enclosed, 'name'>) {
  return sandbox?.enclose({ ...run, name: runNameOf(task) }) ?? run;
}

/** In a sandbox, a program that is missing would be an exit code of the shell that starts it. */
function foreseenRun(command: Command, place: Parameters<typeof foreseeFailure>[1]): SupervisedRun | undefined {
  const [program = ''] = typeof command === 'string' ? ['/bin/sh'] : command;
  const ending = foreseeFailure(program, place);
  if (ending === undefined) return undefined;
  const [stdout, stderr] = [Buffer.alloc(0), Buffer.alloc(0)];
  return { ending, durationMs: 0, survivors: [], stdout, stderr };
}

async function recover(setting: AgentSetting, task: RecoverTask, place: Place): Promise<SupervisedRun | undefined> {
  const { config } = setting;
  return await recoverAttempt({
    ...watching(setting, task, place),
    adopt: task.adopt && config.iteration.onRunnerLoss === 'adopt',
    process: task.process,
    onAdopted: ({ pid }) => place.progress.started({ pid, isAdopted: true }),
  });
}

/** How an agent is watched, whether this process started it or adopted it. */
function watching(
  { adapter, config, uuid, signOfLife, clock }: AgentSetting,
  task: AgentTask | RecoverTask,
  { folder, reader, progress, calls, redline }: Place,
) {
  const { iteration } = config;
  const { budget, allowance } = task;
  const isBounded = Object.keys(budget).length > 0;
  const takenAt = clock.monotonicMs();
  const used = () => usedSoFar(reader.used(), task.sessionUsage);
  const take = (events: readonly AgentEvent[]) => {
    calls.note(reader.used().counted?.apiCalls);
    redline.note(events);
    progress.take(events, used);
  };
  return {
    folder,
    marker: markerOf(uuid, task),
    stopSignal: adapter.stopSignal,
    ...(adapter.streams ? reading(reader, take) : {}),
    isRejected: rejectionWatch(reader, clock),
    isSpent: () =>
      (isBounded && isUsedUp(budget, used(), clock.monotonicMs() - takenAt)) ||
      (allowance !== undefined && isRateReached(allowance, calls.calls(), clock.nowMs())),
    isFull: redline.isFull,
    timeoutMs: iteration.timeout,
    startMs: adapter.streams ? iteration.startTimeout : undefined,
    idleMs: iteration.idleTimeout,
    resultGraceMs: iteration.resultGrace,
    graceMs: iteration.killGrace,
    maxOutputBytes: iteration.maxOutput,
    maxMemoryBytes: config.resources.maxMemory,
    keepProcesses: iteration.keepProcesses,
    keepsAllOutput: config.executionMode !== 'default',
    signal: task.signal,
    killSignal: task.kill,
    signOfLife,
    tailBytes,
  };
}

/** How long an agent may try to recover by itself, such as by renewing its login, after its first notice. */
const recoveryMs = 5_000;

/** Whether an agent retries in vain: it announced a retry twice in a row, or has been retrying for too long. */
function rejectionWatch(reader: AgentReader, { monotonicMs }: Clock): () => boolean {
  let since: number | undefined;
  return () => {
    const { rejection } = reader;
    since = rejection && (since ?? monotonicMs());
    return since !== undefined && ((rejection?.notices ?? 0) > 1 || monotonicMs() - since >= recoveryMs);
  };
}

/** How a reader follows an agent that prints events as it works. */
function reading(reader: AgentReader, onEvents: (events: readonly AgentEvent[]) => void) {
  return {
    onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => {
      if (stream === 'stdout') onEvents(reader.push(chunk));
    },
    hasResult: () => reader.isOver,
    isRetrying: () => reader.isRetrying,
  };
}

/** A finished run, and what is needed to interpret it. */
interface Finish {
  readonly task: AgentTask | RecoverTask;
  readonly reader: AgentReader;
  readonly calls: CallClock;
  readonly redline: RedlineWatch;
}

/** The reader's interpretation of a run. */
function finish(
  { adapter, config, report, sandbox }: AgentSetting,
  ended: SupervisedRun,
  { task, reader, calls, redline }: Finish,
): AgentRun {
  const { run, denied } = settleSandbox(ended, { sandbox, key: task, ...(report && { report }) });
  if (run.survivors.length > 0) report?.(survivorsMessage(run.survivors));
  const ending = plainEnding(run.ending);
  if (!adapter.streams) reader.push(run.stdout);
  const reading = reader.finish({ stderr: run.stderr.toString(), ending });
  if (reading.backgroundLeft > 0) report?.(backgroundLost(task.iteration, reading.backgroundLeft));
  calls.note(reading.counted?.apiCalls);
  const made = calls.calls();
  const { testHints, ...reported } = reportOf(reading, task.sessionUsage);
  const hints = testHints === undefined || !config.iteration.parseTests ? {} : { testHints };
  const read = {
    ...reported,
    ...hints,
    ...(made.length === 0 ? {} : { calls: [...made] }),
    ...(denied.length === 0 ? {} : { deniedHosts: [...denied] }),
  };
  // Its exit was not observed, so its own report does not prove that it finished.
  const outcome = ending.kind === 'lost' && read.outcome === 'completed' ? 'unknown' : read.outcome;
  // A program that prints plain text reports no tools or tokens, so their absence means nothing.
  const empty = adapter.streams && isEmpty(reading) ? { empty: true } : {};
  const durationMs = Math.round(run.durationMs);
  if (isCutByDisk(run, adapter.streams && outcome === 'completed')) {
    return { ...read, outcome: 'transient', error: outputCut, ending, durationMs };
  }
  if (ending.kind === 'stopped' && ending.by === 'memory' && outcome !== 'completed') {
    return { ...read, outcome: 'interrupted', error: memoryExceeded(run, config), ending, durationMs };
  }
  return { ...read, ...fullness(ending, read.usage, redline), ...empty, outcome, ending, durationMs };
}

/** An agent that was ended at the redline may not have reported the size of its window, which an earlier run did. */
function fullness(ending: Ending, usage: Usage | undefined, redline: RedlineWatch): Pick<AgentRun, 'usage'> {
  const context = redline.context();
  if (ending.kind !== 'stopped' || ending.by !== 'redline' || context === undefined) return {};
  return { usage: { ...usage, context } };
}

function memoryExceeded({ memory }: SupervisedRun, { resources: { maxMemory = 0 } }: LoopConfig): string {
  const bound = `resources.maxMemory is ${formatSize(maxMemory)}`;
  if (memory === undefined) return `The agent used too much memory: ${bound}.`;
  const { name, pid, bytes } = memory.largest;
  const largest = `the largest process was ${name} (${pid}) with ${roughSize(bytes)}`;
  return `The agent and what it started used ${roughSize(memory.bytes)} of memory, but ${bound}; ${largest}.`;
}

const outputCut =
  'The disk is full, so the output of the agent could not be stored. Free some space, then resume the loop.';

/** Whether a full disk may have truncated the agent's output, however the agent ended. */
function isCutByDisk({ isDiskFull = false, ending }: SupervisedRun, hasReportedResult: boolean): boolean {
  return isDiskFull && ending.kind !== 'stopped' && ending.kind !== 'not_started' && !hasReportedResult;
}

function survivorsMessage(processes: readonly number[]): string {
  return `Some of the agent's processes could not be killed: ${processes.join(', ')}. Inspect them with "ps -p PID" and kill them.`;
}

function backgroundLost(iteration: number, count: number): string {
  const tasks = count === 1 ? 'a background task' : `${count} background tasks`;
  return `The agent of iteration ${iteration} ended while ${tasks} still ran: that work is lost.`;
}

function plainEnding(ending: SupervisedRun['ending']): Ending {
  if (ending.kind !== 'not_started') return ending;
  return { kind: 'not_started', code: ending.code, message: ending.message };
}
