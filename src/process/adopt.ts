import { setTimeout as delay } from 'node:timers/promises';
import { readExit, readOverdue, readStarted, type Started, voidAttempt } from './attempt-files.ts';
import { defaultGraceMs } from './attend.ts';
import { isAlive, type ProcessIdentity, thisMachine } from './identity.ts';
import { handleAgent, isWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts';
import type { ProcessRow } from './process-row.ts';
import { endByIdentity, endByMarker } from './reap.ts';
import { findSpool, type Spool } from './spool.ts';
import { followSpool } from './spool-follow.ts';
import { collect, type SupervisedRun, type WatchOptions, watch } from './supervise.ts';
import { processTable } from './table.ts';
import { type Draining, dismissTeam, endTeam, findTeam } from './team.ts';

/** An attempt that an earlier ralphd began. */
export interface RecoverOptions extends WatchOptions {
  readonly folder: string;
  /** Whether to adopt an agent that still runs; otherwise it is ended gracefully. */
  readonly adopt: boolean;
  /** The agent's process, if the earlier ralphd recorded it. */
  readonly process?: ProcessIdentity | undefined;
  /** Called when the agent still runs and is adopted. */
  readonly onAdopted?: ((agent: ProcessIdentity) => void) | undefined;
  /** How long a keeper may take to record how its agent ended; 10 s when left out. */
  readonly recordMs?: number | undefined;
}

const pollEveryMs = 50;

/**
 * Continues an attempt whose ralphd is gone: adopts its agent if it still runs, takes its result if it has ended,
 * ends whatever else is left. Undefined if nothing is known about a run: it never started, or it was lost.
 */
export async function recoverAttempt(options: RecoverOptions): Promise<SupervisedRun | undefined> {
  const { folder, marker } = options;
  const started = voidAttempt(folder) ? undefined : readStarted(folder);
  if (started === undefined || !isOfThisBoot(started)) return await giveUp(options);
  const keeper = findKeeper(started, marker);
  const agent = keeper && (await meetAgent(keeper, options));
  if (agent === 'stuck') return await dismiss(options);
  if (keeper === undefined || agent === undefined)
    return (await takeResult(started, options)) ?? (await giveUp(options));
  return options.adopt ? await adopt({ keeper, agent, started }, options) : await giveUp(options, agent);
}

/** Ends everything of an attempt, with grace for the agent. */
async function giveUp(options: RecoverOptions, agent = options.process): Promise<undefined> {
  const { marker, stopSignal, killSignal, graceMs = defaultGraceMs } = options;
  if (agent !== undefined) await endByIdentity(agent, marker, { graceMs, stopSignal, killSignal });
  await endByMarker(marker);
}

/** Abandons an attempt whose keeper records nothing: the agent may have written whatever is in its files. */
async function dismiss(options: RecoverOptions): Promise<undefined> {
  await endTeam(options.marker);
  return await giveUp(options);
}

function isOfThisBoot({ keeper }: Started): boolean {
  const { host, bootId } = thisMachine();
  return keeper?.host === host && keeper.bootId === bootId;
}

/** The keeper, if it still runs. The file counts only for a process that carries the keeper's marker. */
function findKeeper({ keeper }: Started, marker: string): ProcessIdentity | undefined {
  if (keeper === undefined || !isAlive(keeper)) return undefined;
  return findTeam(marker).some(({ pid }) => pid === keeper.pid) ? keeper : undefined;
}

/** What is left of an agent that ended while no ralphd ran. */
async function takeResult(started: Started, options: RecoverOptions): Promise<SupervisedRun | undefined> {
  const { folder, marker, onOutput } = options;
  const exit = readExit(folder);
  const ending = readOverdue(folder) ?? exit?.ending;
  if (exit === undefined || ending === undefined || ending === 'lost') return undefined;
  const survivors = await endByMarker(marker);
  return await withSpool(folder, async (spool) => {
    if (onOutput) await followSpool(spool, onOutput).finish();
    const tooMuch = spool.bytes() > (options.maxOutputBytes ?? Infinity);
    const cut = { kind: 'stopped', by: 'output', forced: false } as const;
    return {
      ending: tooMuch ? cut : ending,
      survivors,
      durationMs: Math.max(0, exit.at - started.at),
      ...collect(spool, options),
    };
  });
}

/** An attempt that still runs. */
interface Running {
  readonly keeper: ProcessIdentity;
  readonly agent: ProcessIdentity;
  readonly started: Started;
}

async function adopt(running: Running, options: RecoverOptions): Promise<SupervisedRun | undefined> {
  const { folder } = options;
  const elapsedMs = elapsedOf(running);
  const adoptedAt = performance.now();
  options.onAdopted?.(running.agent);
  const run = await withSpool(folder, async (spool) =>
    watch(attach(running, options), leftOfLimits(options, elapsedMs), spool),
  );
  if (run.ending.kind === 'lost' && readOverdue(folder) === 'lost') return undefined;
  return { ...run, durationMs: elapsedMs + performance.now() - adoptedAt };
}

/** How long the agent has run. The system clock may have been changed since, and the agent can touch its files. */
function elapsedOf({ keeper, started }: Running): number {
  return Math.max(0, processTable.ageMs(keeper) ?? Date.now() - started.at);
}

/**
 * The agent that a keeper waits for: its child that leads a process group. Undefined if the keeper ended before. An exit
 * record that exists while the keeper still works is not the keeper's: the agent may have forged it.
 */
async function meetAgent(
  keeper: ProcessIdentity,
  { folder, recordMs = defaultGraceMs }: Pick<RecoverOptions, 'folder' | 'recordMs'>,
): Promise<ProcessIdentity | 'stuck' | undefined> {
  const deadline = performance.now() + recordMs;
  while (isWorking(keeper)) {
    const agent = agentOf(keeper, processTable.all(), readStarted(folder)?.agent);
    if (agent !== undefined) return { ...thisMachine(), pid: agent.pid, startTime: agent.startTime };
    if (performance.now() > deadline) return 'stuck';
    await delay(pollEveryMs);
  }
  return undefined;
}

/**
 * The child of a keeper that leads a process group; of several, orphans that it was given among them, the one that it
 * recorded. One that has ended is only waiting for its keeper to record that.
 */
export function agentOf(
  keeper: Pick<ProcessIdentity, 'pid'>,
  rows: readonly ProcessRow[],
  recorded?: Started['agent'],
): ProcessRow | undefined {
  const groupId = rows.find(({ pid }) => pid === keeper.pid)?.groupId;
  const children = rows.filter((row) => row.parentId === keeper.pid && row.groupId !== groupId && !row.zombie);
  return recorded === undefined
    ? children[0]
    : children.find(({ pid, startTime }) => pid === recorded.pid && startTime === recorded.startTime);
}

function attach({ keeper, agent }: Running, { folder, marker }: RecoverOptions): KeptAgent {
  const handling = handleAgent(agent, { marker });
  // It may have started others long ago.
  handling.tree.refresh();
  const exited = untilGone(keeper).then(() => ({ ending: recordedEnding(folder), left: handling.left() }));
  const release = (draining: Partial<Draining>) => dismissTeam(marker, draining);
  return { kind: 'kept', ...handling, exited, release };
}

// A keeper without its ralphd ends as soon as it has recorded how its agent ended, and swept what that left.
async function untilGone(keeper: ProcessIdentity): Promise<void> {
  while (isWorking(keeper)) await delay(pollEveryMs);
}

function recordedEnding(folder: string): KeptEnding {
  const overdue = readOverdue(folder);
  return overdue === 'lost' ? { kind: 'lost' } : (overdue ?? readExit(folder)?.ending ?? { kind: 'lost' });
}

/** The limits still count from when the agent started. */
function leftOfLimits(options: RecoverOptions, elapsedMs: number): RecoverOptions {
  const left = (limitMs: number | undefined) => limitMs && Math.max(0, limitMs - elapsedMs);
  return { ...options, timeoutMs: left(options.timeoutMs), startMs: left(options.startMs) };
}

async function withSpool<Result>(folder: string, use: (spool: Spool) => Promise<Result>): Promise<Result> {
  const spool = findSpool(folder);
  try {
    return await use(spool);
  } finally {
    spool.close();
  }
}
