import { closeSync, openSync } from 'node:fs';
import { errorCode, type NotStarted, notStarted } from './ending.ts';
import { explainFailure, foreseeFailure } from './explain-failure.ts';
import type { KeeperOrders } from './keeper-command.ts';
import { type LaunchOptions, toArguments } from './launch.ts';
import { type FreshSpool, makeSpool } from './spool.ts';
import { hireKeeper, keeperProcess, type WaitingKeeper } from './start-keeper.ts';
import { systemTools } from './system-tools.ts';

/** An agent that is to be started, and how its keeper handles it. */
export type AgentOrders = LaunchOptions & KeeperOrders;

/** All that an attempt needs before its agent can start: the files for its output, and a keeper that waits. */
export interface Readiness {
  readonly spool: FreshSpool;
  readonly keeper: WaitingKeeper;
  /** What the keeper was started as. */
  readonly made: string;
}

/** Makes everything ready for an agent, or says why it cannot be. */
export async function makeReady(orders: AgentOrders): Promise<Readiness | NotStarted> {
  const spool = tryMakeSpool(orders.folder);
  if ('kind' in spool) return spool;
  try {
    return { spool, keeper: await hireKeeper(orders, spool), made: describe(orders) };
  } catch (error) {
    spool.close();
    return explainFailure(toArguments(orders.command)[0] ?? '', orders, error);
  }
}

/** Whether what was made ready serves for these orders: they are the same, and nobody has touched it since. */
export async function servesFor({ spool, keeper, made }: Readiness, orders: AgentOrders): Promise<boolean> {
  return made === describe(orders) && spool.isUntouched() && (await keeper.isReady());
}

/** Sends a keeper away whose agent is not wanted, and leaves nothing of it. */
export async function standDown({ spool, keeper }: Readiness, { keepFiles = false } = {}): Promise<void> {
  await keeper.dismiss();
  if (!keepFiles) spool.remove();
  spool.close();
}

/** Says beforehand why an agent will not start, for its keeper could not say it. */
export function foresee({ command, cwd, env, stdinPath }: AgentOrders): NotStarted | undefined {
  const [program] = toArguments(command);
  if (program === undefined || program === '') return notStarted('command', 'EINVAL', 'The command is empty.');
  const { cat, sleep, setsid } = systemTools();
  const needed = { cat, sleep, ...(process.platform === 'linux' && { setsid }) };
  const [missing] = Object.entries(needed).find(([, file]) => file === '') ?? [];
  if (missing !== undefined) return notStarted('command', 'ENOENT', `This system has no program ${missing}.`);
  return foreseeFailure(program, { cwd, env }) ?? unreadable(stdinPath);
}

function unreadable(stdinPath: string | undefined): NotStarted | undefined {
  if (stdinPath === undefined) return undefined;
  try {
    closeSync(openSync(stdinPath, 'r'));
    return undefined;
  } catch (error) {
    return noFiles(error);
  }
}

function tryMakeSpool(folder: string): FreshSpool | NotStarted {
  try {
    return makeSpool(folder);
  } catch (error) {
    return noFiles(error);
  }
}

function noFiles(error: unknown): NotStarted {
  return notStarted('files', errorCode(error), error instanceof Error ? error.message : String(error));
}

function describe(orders: AgentOrders): string {
  return JSON.stringify(keeperProcess(orders));
}
