import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { endingOf } from './attempt-files.ts';
import { DEFAULT_GRACE_MS } from './attend.ts';
import { type NotStarted, notStarted } from './ending.ts';
import type { ProcessIdentity } from './identity.ts';
import { KEEPER_VARIABLE } from './keeper.ts';
import { type KeeperOrders, keeperCommand } from './keeper-command.ts';
import { type KeeperLine, listen } from './keeper-line.ts';
import { handleAgent, isWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts';
import type { LaunchOptions } from './launch.ts';
import { MARKER_VARIABLE, withMarker } from './marker.ts';
import { endByMarker } from './reap.ts';
import type { FreshSpool } from './spool.ts';
import { drain, endTeam } from './team.ts';
import { settlesWithin } from './waiting.ts';

/** A keeper that waits for the word to start its agent. When its ralphd dies before that, it ends. */
export interface WaitingKeeper {
  /** Whether it waits and its pumps are there, or will be in a moment. */
  readonly isReady: () => Promise<boolean>;
  /** Gives the word; returns when the agent runs, or never will. */
  readonly start: () => Promise<KeptAgent | NotStarted>;
  /** Sends it away before it has started anything. */
  readonly dismiss: () => Promise<void>;
}

const LOOK_AFTER_KEEPER_MS = 250;
const START_TAKES_AT_MOST_MS = 30_000;
const READY_TAKES_AT_MOST_MS = 1_000;

/** What the keeper is started as: two keepers with the same may stand in for each other. */
export function keeperProcess(options: LaunchOptions & KeeperOrders) {
  const { cwd, env, marker } = options;
  const markers = withMarker(env, marker)[MARKER_VARIABLE] ?? '';
  const command = keeperCommand(options, markers, options.graceMs ?? DEFAULT_GRACE_MS);
  return { command, cwd, env: { ...env, [KEEPER_VARIABLE]: marker } };
}

/** Starts a keeper. Names that a shell cannot hold are missing from the agent's environment. */
export async function hireKeeper(options: LaunchOptions & KeeperOrders, spool: FreshSpool): Promise<WaitingKeeper> {
  const { command, cwd, env } = keeperProcess(options);
  const [file = '', ...args] = command;
  const stdio = ['ignore' as const, ...spool.writers, 'pipe' as const];
  const child = spawn(file, args, { cwd, env, stdio, detached: true });
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  spool.handOver();
  return attach(child, options.marker);
}

function attach(child: ChildProcess, marker: string): WaitingKeeper {
  // A later failure to signal shows in the sweep; without a listener it would end ralphd.
  child.on('error', () => {});
  const line = child.stdio[3] as Duplex;
  line.on('error', () => {});
  const over = once(child, 'exit');
  const said = listen(line);
  const team = Promise.race([Promise.all([said.keeper, ...said.pumps]), over.then(() => undefined)]);
  return {
    isReady: async () =>
      (await settlesWithin(team, READY_TAKES_AT_MOST_MS)) && ((await team)?.every(isWorking) ?? false),
    start: () => start({ line, over, said, marker }),
    dismiss: async () => {
      line.destroy();
      if (!(await settlesWithin(over, READY_TAKES_AT_MOST_MS))) await endTeam(marker);
    },
  };
}

interface Meeting {
  readonly line: Duplex;
  readonly over: Promise<unknown[]>;
  readonly said: KeeperLine;
  readonly marker: string;
}

/** Waits until the keeper says that the agent runs, or that it never will. */
async function start({ line, over, said, marker }: Meeting): Promise<KeptAgent | NotStarted> {
  line.write('go\n');
  const met = Promise.race([said.agent, over]);
  if (!(await settlesWithin(met, START_TAKES_AT_MOST_MS))) await endByMarker(marker);
  const agent = await met;
  if ('pid' in agent) return keep({ line, over, said, marker }, agent);
  line.destroy();
  return notStarted('files', 'EEXIST', 'The attempt was given up before it could start.');
}

function keep({ line, over, said, marker }: Meeting, agent: ProcessIdentity): KeptAgent {
  const handling = handleAgent(agent, marker);
  const watch = watchKeeper(said.keeper);
  let hasSaid = false;
  const ended: Promise<KeptEnding> = Promise.race([
    said.exit.then((status) => {
      hasSaid = true;
      return endingOf(status);
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
      const left = await drain(marker, { ...draining, isOverWithin: (ms) => settlesWithin(over, ms) });
      // One that was killed leaves its leash, which holds on to the line.
      if (!hasSaid) left.push(...(await endTeam(marker)));
      line.destroy();
      return left;
    },
  };
}

/** Notices that the shell which waits for the agent was killed, whatever became of the shells around it. */
function watchKeeper(keeper: Promise<ProcessIdentity>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let identity: ProcessIdentity | undefined;
  void keeper.then((known) => (identity = known));
  const timer = setInterval(() => {
    if (identity !== undefined && !isWorking(identity)) resolve();
  }, LOOK_AFTER_KEEPER_MS);
  return { gone: promise, stop: () => clearInterval(timer) };
}
