import { type AttendOptions, attend } from './attend.ts';
import { type AgentEnding, errorCode, type NotStarted, notStarted } from './ending.ts';
import type { ProcessIdentity } from './identity.ts';
import type { KeeperOrders } from './keeper-command.ts';
import type { KeptAgent } from './kept-agent.ts';
import type { LaunchOptions } from './launch.ts';
import type { Keeper } from './loop-keeper.ts';
import { createMemoryMeter, type MemoryUse } from './memory.ts';
import { createPulse } from './pulse.ts';
import { isDiskFull, makeSpool, type Spool } from './spool.ts';
import { cutSpool } from './spool-cut.ts';
import { followSpool, type OutputListener } from './spool-follow.ts';
import { startKeeper } from './start-keeper.ts';
import { processTable } from './table.ts';

/** How an agent is watched, whoever started it. */
export interface WatchOptions extends AttendOptions {
  /** Receives the output as it grows; an error that it throws is passed on when the run ends. */
  readonly onOutput?: OutputListener | undefined;
  /** Whether the agent has reported its result; from then on its result grace counts. */
  readonly hasResult?: (() => boolean) | undefined;
  /** Whether the agent prints nothing but retry notices; those do not count as work. */
  readonly isRetrying?: (() => boolean) | undefined;
  /** Whether the agent has used up its budget; then it is ended. */
  readonly isSpent?: (() => boolean) | undefined;
  /** Whether the agent's session is so full that it must not go on; then it is ended. */
  readonly isFull?: (() => boolean) | undefined;
  /** Whether the agent retries what cannot succeed; then it is ended. */
  readonly isRejected?: (() => boolean) | undefined;
  /** Anything that changes when the agent works; read a few times within the idle limit. */
  readonly signOfLife?: (() => Promise<string>) | undefined;
  /** Whether outputs stay whole however large they are; otherwise the middle of a very large one is cut out. */
  readonly keepsAllOutput?: boolean | undefined;
  /** How much of the end of each output is returned; 256 KiB when left out. */
  readonly tailBytes?: number | undefined;
}

/** One agent, the folder its files are in, and what ends it. */
export interface SuperviseOptions extends LaunchOptions, KeeperOrders, WatchOptions {
  /** What it reads; left out, its input is empty. */
  readonly stdinPath?: string | undefined;
  /** The keeper of its loop; left out, it gets one of its own. */
  readonly keeper?: Keeper | undefined;
  /** Called and awaited as soon as the process runs; when it fails, the process is killed and the error passed on. */
  readonly onStarted?: ((identity: ProcessIdentity) => Promise<void> | void) | undefined;
}

/** The result of one supervised agent. */
export interface SupervisedRun {
  readonly ending: AgentEnding;
  readonly durationMs: number;
  /** Absent when the command never became a process. */
  readonly identity?: ProcessIdentity;
  /** Processes that could not be ended; normally empty. */
  readonly survivors: readonly number[];
  /** The disk is full, so the end of the output may be missing. */
  readonly isDiskFull?: boolean;
  /** The most memory that the agent and what it started used, if that has a bound. */
  readonly memory?: MemoryUse;
  /** The end of each output; all of it is in the folder. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

const defaultTailBytes = 256 * 1024;

/** Runs one agent and returns only when nothing it started is left alive. */
export async function supervise(options: SuperviseOptions): Promise<SupervisedRun> {
  const startedAt = performance.now();
  const without = (ending: AgentEnding): SupervisedRun => ({
    ...nothingRan,
    ending,
    durationMs: performance.now() - startedAt,
  });
  if (options.signal?.aborted || options.killSignal?.aborted) {
    return without({ kind: 'stopped', by: 'request', forced: false });
  }
  const spool = tryMakeSpool(options);
  if ('kind' in spool) return without(spool);
  try {
    const agent = await startKeeper(options, spool);
    if (agent.kind !== 'kept') return without(agent);
    await announce(agent, options);
    return { ...(await watch(agent, options, spool)), durationMs: performance.now() - startedAt };
  } finally {
    spool.close();
  }
}

/** Watches an agent to its end and returns what it left. */
export async function watch(
  agent: KeptAgent,
  options: WatchOptions,
  spool: Spool,
): Promise<Omit<SupervisedRun, 'durationMs'>> {
  const { onOutput, hasResult, isRetrying, isSpent, isFull, isRejected, signOfLife, idleMs } = options;
  const follower = onOutput && followSpool(spool, onOutput);
  const pulse = createPulse({ tree: agent.tree, idleMs, signOfLife, now: () => performance.now() });
  const memory = meterFor(agent, options);
  const isOverMemory = memory?.isOver;
  const signs = { outputBytes: spool.bytes, pulse, hasResult, isRetrying, isSpent, isFull, isRejected, isOverMemory };
  const { findMarked } = agent;
  const attended = await attend(agent, { ...options, findMarked }, signs);
  const left = await agent.release({ outputBytes: spool.bytes, keep: options.keepProcesses });
  await follower?.finish();
  const peak = memory?.peak();
  const survivors = [...new Set([...attended.survivors, ...left])];
  return {
    ending: attended.ending,
    survivors,
    identity: agent.identity,
    ...diskOf(spool, attended.ending),
    ...(peak === undefined ? {} : { memory: peak }),
    ...collect(spool, options),
  };
}

function meterFor({ tree, findMarked }: KeptAgent, { marker, maxMemoryBytes }: WatchOptions) {
  if (maxMemoryBytes === undefined) return undefined;
  return createMemoryMeter({
    tree,
    findMarked: findMarked ?? (() => processTable.marked(marker)),
    maxBytes: maxMemoryBytes,
    now: () => performance.now(),
  });
}

// An agent that cannot write its output dies, or reports the error in its own way.
function diskOf({ folder }: Spool, ending: AgentEnding): Pick<SupervisedRun, 'isDiskFull'> {
  const isClean = ending.kind === 'exited' && ending.code === 0;
  return isDiskFull(folder, { look: isClean ? 'free space' : 'write' }) ? { isDiskFull: true } : {};
}

/** Reads the end of each output, and cuts the files down to their maximum size. */
export function collect(spool: Spool, { tailBytes = defaultTailBytes, keepsAllOutput = false }: WatchOptions) {
  const tails = { stdout: spool.tail('stdout', tailBytes), stderr: spool.tail('stderr', tailBytes) };
  try {
    if (!keepsAllOutput) cutSpool(spool);
  } catch {
    // A file that cannot be cut stays whole: it only takes space.
  }
  return tails;
}

const nothingRan = { survivors: [], stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };

function tryMakeSpool({ folder }: SuperviseOptions): Spool | NotStarted {
  try {
    return makeSpool(folder);
  } catch (error) {
    return notStarted('files', errorCode(error), error instanceof Error ? error.message : String(error));
  }
}

async function announce(agent: KeptAgent, options: SuperviseOptions): Promise<void> {
  try {
    await options.onStarted?.(agent.identity);
  } catch (error) {
    await attend(agent, { marker: options.marker, killSignal: AbortSignal.abort() }, { outputBytes: () => 0 });
    await agent.release({ outputBytes: () => 0 });
    throw error;
  }
}
