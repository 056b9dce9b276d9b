import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { endingOf } from './attempt-files.ts';
import { defaultGraceMs } from './attend.ts';
import { type NotStarted, notStarted } from './ending.ts';
import { explainFailure, foreseeFailure } from './explain-failure.ts';
import { type ProcessIdentity, thisMachine } from './identity.ts';
import { keeperVariable } from './keeper.ts';
import { type KeeperOrders, keeperStart } from './keeper-command.ts';
import { handleAgent, isWorking, type KeptAgent, type KeptEnding } from './kept-agent.ts';
import { type LaunchOptions, toArguments } from './launch.ts';
import { markerVariable, withMarker } from './marker.ts';
import type { FreshProcesses } from './process-row.ts';
import { endByMarker } from './reap.ts';
import type { FreshSpool } from './spool.ts';
import { systemTools } from './system-tools.ts';
import { processTable } from './table.ts';
import { drain, endTeam } from './team.ts';
import { settlesWithin } from './waiting.ts';

const keeperPollMs = 250;
const maxStartMs = 30_000;

/** Starts an agent under a keeper. The agent gets no variables with names that a shell cannot hold. */
export async function startKeeper(
  options: LaunchOptions & KeeperOrders,
  spool: FreshSpool,
): Promise<KeptAgent | NotStarted> {
  const { cwd, env, marker } = options;
  const foreseen = foresee(options);
  if (foreseen !== undefined) return foreseen;
  const markers = withMarker(env, marker)[markerVariable] ?? '';
  const { command, variables } = keeperStart(options, markers, options.graceMs ?? defaultGraceMs);
  const [file = '', ...args] = command;
  try {
    const stdio = [...spool.stdio, 'pipe' as const];
    const fresh = processTable.fromNow();
    const child = spawn(file, args, {
      cwd,
      env: { ...env, ...variables, [keeperVariable]: marker },
      stdio,
      detached: true,
    });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    spool.handOver();
    return await meetAgent(child, marker, fresh);
  } catch (error) {
    return explainFailure(toArguments(options.command)[0] ?? '', options, error);
  }
}

function foresee({ command, cwd, env }: LaunchOptions): NotStarted | undefined {
  const [program] = toArguments(command);
  if (program === undefined || program === '') return notStarted('command', 'EINVAL', 'The command is empty.');
  const { cat, sleep, setsid } = systemTools();
  const needed = { cat, sleep, ...(process.platform === 'linux' && { setsid }) };
  const [missing] = Object.entries(needed).find(([, file]) => file === '') ?? [];
  if (missing !== undefined) return notStarted('command', 'ENOENT', `This system has no program ${missing}.`);
  return foreseeFailure(program, { cwd, env });
}

/** Waits until the keeper reports that the agent runs, or that it never will. */
async function meetAgent(child: ChildProcess, marker: string, fresh: FreshProcesses): Promise<KeptAgent | NotStarted> {
  // A later failure to signal shows in the sweep; without a listener it would end ralphd.
  child.on('error', () => {});
  const line = child.stdio[3] as Duplex;
  line.on('error', () => {});
  const over = once(child, 'exit');
  const answer = listen(line);
  const met = Promise.race([answer.agent, over]);
  if (!(await settlesWithin(met, maxStartMs))) await endByMarker(marker);
  const agent = await met;
  if ('pid' in agent) return keep({ child, line, over, answer, agent, marker, fresh });
  line.destroy();
  return notStarted('files', 'EEXIST', 'The attempt was given up before it could start.');
}

interface KeeperAnswer {
  readonly keeper: Promise<ProcessIdentity>;
  readonly agent: Promise<ProcessIdentity>;
  readonly exit: Promise<number>;
}

/** The keeper's messages on its line, in order. */
function listen(line: Duplex): KeeperAnswer {
  const keeper = Promise.withResolvers<ProcessIdentity>();
  const agent = Promise.withResolvers<ProcessIdentity>();
  const exit = Promise.withResolvers<number>();
  let rest = '';
  line.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      const [, word, number, startTime = ''] = /^(\w+) (\d+) ?(.*)$/.exec(each) ?? [];
      const identity = { ...thisMachine(), pid: Number(number), startTime };
      if (word === 'keeper') keeper.resolve(identity);
      if (word === 'agent') agent.resolve(identity);
      if (word !== 'exit') continue;
      // From now on ralphd ends whatever is left: the keeper may exit while ralphd is searching for it.
      line.write('mine\n');
      exit.resolve(Number(number));
    }
  });
  return { keeper: keeper.promise, agent: agent.promise, exit: exit.promise };
}

interface Meeting {
  readonly child: ChildProcess;
  readonly line: Duplex;
  readonly over: Promise<unknown>;
  readonly answer: KeeperAnswer;
  readonly agent: ProcessIdentity;
  readonly marker: string;
  readonly fresh: FreshProcesses;
}

function keep({ line, over, answer, agent, marker, fresh }: Meeting): KeptAgent {
  const handling = handleAgent(agent, marker, fresh);
  const watch = watchKeeper(answer.keeper);
  let hasReported = false;
  const ended: Promise<KeptEnding> = Promise.race([
    answer.exit.then((status) => {
      hasReported = true;
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
      // A keeper that was killed leaves its leash, which keeps the line open.
      if (!hasReported) left.push(...(await endTeam(marker)));
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
  }, keeperPollMs);
  return { gone: promise, stop: () => clearInterval(timer) };
}
