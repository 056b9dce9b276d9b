import { getSystemErrorName } from 'node:util';
import { defaultGraceMs } from './attend.ts';
import type { Connection, StartFailure } from './connection.ts';
import { type Lost, type NotStarted, notStarted } from './ending.ts';
import { explainFailure } from './explain-failure.ts';
import type { ProcessIdentity } from './identity.ts';
import type { KeeperOrders } from './keeper-command.ts';
import { handleAgent, isWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts';
import { type LaunchOptions, toArguments } from './launch.ts';
import { createKeeper, type Keeper } from './loop-keeper.ts';
import { markerVariable, withMarker } from './marker.ts';
import type { FreshProcesses } from './process-row.ts';
import { endByMarker } from './reap.ts';
import { connectToShell } from './shell-keeper.ts';
import type { Spool } from './spool.ts';
import { processTable } from './table.ts';
import { drain, endTeam } from './team.ts';
import { settlesWithin } from './waiting.ts';

const keeperPollMs = 250;
const maxStartMs = 30_000;

/** An agent, and the keeper of its loop; without one it gets its own. */
export interface StartOptions extends LaunchOptions, KeeperOrders {
  readonly stdinPath?: string | undefined;
  readonly keeper?: Keeper | undefined;
}

/** Starts an agent under a keeper. Under a shell it gets no variables with names that a shell cannot hold. */
export async function startKeeper(options: StartOptions, spool: Spool): Promise<KeptAgent | NotStarted | Lost> {
  const program = toArguments(options.command)[0] ?? '';
  if (program === '') return notStarted('command', 'EINVAL', 'The command is empty.');
  try {
    const fresh = processTable.fromNow();
    const connection = await connect(options, spool);
    return 'kind' in connection ? connection : await meetAgent(connection, options, fresh);
  } catch (error) {
    return explainFailure(program, options, error);
  }
}

async function connect(options: StartOptions, spool: Spool): Promise<Connection | NotStarted> {
  const { env, marker, graceMs = defaultGraceMs } = options;
  const variables = withMarker(env, marker);
  const orders = { ...options, variables, graceMs };
  const connection = options.shell === undefined ? await connectToPerl(orders) : undefined;
  if (connection !== undefined) return connection;
  return await connectToShell(options, { graceMs, markers: variables[markerVariable] ?? '' }, spool);
}

async function connectToPerl(options: StartOptions & Parameters<Keeper['begin']>[0]): Promise<Connection | undefined> {
  if (options.keeper !== undefined) return await options.keeper.begin(options);
  const own = createKeeper(options);
  const connection = await own.begin(options);
  return connection && { ...connection, close: async () => await own[Symbol.asyncDispose]() };
}

/** Waits until the keeper reports that the agent runs, or that it never will. */
async function meetAgent(
  connection: Connection,
  options: StartOptions,
  fresh: FreshProcesses,
): Promise<KeptAgent | NotStarted | Lost> {
  const { answer, over } = connection;
  let keeper: ProcessIdentity | undefined;
  void answer.keeper.then((identity) => (keeper = identity));
  // An agent may stop its keeper before that can report the agent.
  const watch = watchKeeper(answer.keeper);
  const met = Promise.race([answer.agent, answer.failure, over]);
  if (!(await settlesWithin(met, maxStartMs))) await endByMarker(options.marker);
  const result = await met;
  if (isObject(result) && 'pid' in result)
    return keep(connection, { agent: result, marker: options.marker, fresh, keeper, watch });
  watch.stop();
  await connection.close();
  if (isObject(result) && 'what' in result) return explain(result, options);
  if (keeper === undefined) return explain({ what: 'attempt', errno: 0 }, options);
  // The agent may have killed its keeper at once.
  await endByMarker(options.marker);
  return { kind: 'lost' };
}

function isObject(value: unknown): value is ProcessIdentity | StartFailure {
  return typeof value === 'object' && value !== null;
}

function explain({ what, errno }: StartFailure, options: StartOptions): NotStarted {
  if (what === 'attempt') return notStarted('files', 'EEXIST', 'The attempt was given up before it could start.');
  const code = getSystemErrorName(-errno);
  if (what === 'files') return notStarted('files', code, `The agent's files could not be opened (${code}).`);
  return explainFailure(toArguments(options.command)[0] ?? '', options, Object.assign(new Error(code), { code }));
}

interface Kept {
  readonly agent: ProcessIdentity;
  readonly marker: string;
  readonly fresh: FreshProcesses;
  readonly keeper: ProcessIdentity | undefined;
  readonly watch: ReturnType<typeof watchKeeper>;
}

function keep({ answer, over, dry, close }: Connection, { agent, watch, ...traces }: Kept): KeptAgent {
  const { marker } = traces;
  const handling = handleAgent(agent, { ...traces, left: answer.left });
  let hasReported = false;
  const ended: Promise<KeptEnding> = Promise.race([
    answer.exit.then((ending) => {
      hasReported = true;
      return ending;
    }),
    Promise.race([over, watch.gone]).then(() => ({ kind: 'lost' }) as const),
  ]);
  return {
    kind: 'kept',
    ...handling,
    exited: ended.then((ending) => {
      watch.stop();
      return { ending, left: handling.left() };
    }),
    release: async (draining) => {
      watch.stop();
      const left = await drain(marker, { ...draining, isOverWithin: (ms) => settlesWithin(dry, ms) });
      // A keeper that was killed leaves its leash, which keeps the line open.
      if (!hasReported) left.push(...(await endTeam(marker)));
      await close();
      return left;
    },
  };
}

/** Notices that the process which waits for the agent was killed, whatever became of those around it. */
function watchKeeper(keeper: Promise<ProcessIdentity>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let identity: ProcessIdentity | undefined;
  void keeper.then((known) => (identity = known));
  const timer = setInterval(() => {
    if (identity !== undefined && !isWorking(identity)) resolve();
  }, keeperPollMs);
  return { gone: promise, stop: () => clearInterval(timer) };
}
