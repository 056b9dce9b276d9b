import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import type { Duplex, Readable, Writable } from 'node:stream';
import { type Connection, createAnswer, readLines } from './connection.ts';
import { thisMachine } from './identity.ts';
import { keeperVariable } from './keeper.ts';
import { deadlineSeconds, graceSeconds, type KeeperOrders } from './keeper-command.ts';
import { type RunErrand, runErrand } from './keeper-errand.ts';
import { perlProgram } from './keeper-perl.ts';
import { type LaunchOptions, toArguments } from './launch.ts';
import { markerVariable } from './marker.ts';
import { systemTools } from './system-tools.ts';
import { settlesWithin } from './waiting.ts';

/** The agents of one loop have one keeper, one after the other. */
export interface Keeper extends AsyncDisposable {
  /** Has it start an agent; undefined on a system where it cannot run. */
  begin(orders: AgentOrders): Promise<Connection | undefined>;
  /** Has it run a short command while no agent works; it does so only if it runs already. */
  readonly run: RunErrand;
}

/** What a keeper has to know of an agent. */
export interface AgentOrders extends Omit<LaunchOptions, 'env'>, Omit<KeeperOrders, 'command'> {
  /** The whole environment, with the marker. */
  readonly variables: NodeJS.ProcessEnv;
  readonly graceMs: number;
  readonly stdinPath?: string | undefined;
}

/** Whose keeper it is. */
export interface KeeperSetting {
  /** Its attempt's marker, or the beginning that the markers of all its attempts share, up to and with a slash. */
  readonly marker: string;
  /** Only for the marker of a loop around this one, whose sweep has to find the keeper too. */
  readonly env: NodeJS.ProcessEnv;
  readonly title?: readonly string[] | undefined;
}

interface Referable {
  ref(): void;
  unref(): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly line: Duplex & Referable;
  readonly output: Readable & Referable;
  readonly over: Promise<unknown>;
  isOver: boolean;
  /** An agent works, or a command runs or did not end in time. */
  isBusy: boolean;
  take: (line: string) => void;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_APPEND } = constants;
const toCreate = String(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
const toAppend = String(O_WRONLY | O_APPEND | O_NOFOLLOW);
const maxGoodbyeMs = 1_000;
/** What a file with a size limit may grow beyond it, so that it is seen to have passed it. */
const excessBytes = 512;

let isUsable: boolean | undefined;

/** A keeper that is started with its first agent, and again if it was ended. */
export function createKeeper(setting: KeeperSetting): Keeper {
  let running: Running | undefined;
  const find = async () => {
    if (running === undefined || running.isOver) running = await startPerl(setting);
    return running;
  };
  return {
    async begin(orders) {
      const keeper = await find();
      if (keeper === undefined) return undefined;
      const { answer, take } = createAnswer();
      keeper.take = take;
      hold(keeper);
      keeper.line.write(toMessage(fieldsOf(orders)));
      const dry = Promise.race([answer.dry, keeper.over]);
      return { answer, over: keeper.over, dry, close: async () => letGo(keeper) };
    },
    async run(errand) {
      if (running === undefined || running.isOver || running.isBusy) return undefined;
      const { line, output, over } = running;
      const send = (fields: readonly string[]) => void line.write(toMessage(fields));
      hold(running);
      output.ref();
      const printed = await runErrand({ send, output, over }, errand);
      output.unref();
      letGo(running);
      return printed;
    },
    async [Symbol.asyncDispose]() {
      if (running === undefined || running.isOver) return;
      running.line.destroy();
      await settlesWithin(running.over, maxGoodbyeMs);
    },
  };
}

/** Starts the keeper; undefined where there is no perl, or none that works. */
async function startPerl({ marker, env, title = [] }: KeeperSetting): Promise<Running | undefined> {
  const { perl } = systemTools();
  if (perl === '' || isUsable === false) return undefined;
  const outer = env[markerVariable];
  // Where ralphd is, so that a path means the same file to both.
  const child = spawn(perl, ['-', 'ralphd-keeper', ...title], {
    env: { [keeperVariable]: marker, ...(outer && { [markerVariable]: outer }) },
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  sendProgram(child.stdin);
  const over = once(child, 'exit').then(() => {
    keeper.isOver = true;
  });
  const ready = Promise.withResolvers<true>();
  const line = readLines(child, (words) => (words === 'ready' ? ready.resolve(true) : keeper.take(words)));
  const output = child.stdio[4] as Running['output'];
  output.on('error', () => {});
  output.unref();
  const keeper: Running = {
    child,
    line: line as Running['line'],
    output,
    over,
    isOver: false,
    isBusy: false,
    take: () => {},
  };
  isUsable ??= (await Promise.race([ready.promise, over])) === true;
  return isUsable ? keeper : undefined;
}

function sendProgram(input: Writable | null): void {
  // A perl that refuses the program exits, and that is noticed.
  input?.on('error', () => {});
  input?.end(perlProgram);
}

/** Fields, separated by NUL, after their length: none of them can contain one. */
function toMessage(fields: readonly string[]): Buffer {
  const text = Buffer.from(fields.join('\0'));
  return Buffer.concat([Buffer.from(`${text.byteLength}\n`), text]);
}

function fieldsOf(orders: AgentOrders): readonly string[] {
  const { host, bootId } = thisMachine();
  const { folder, marker, stopSignal = 'SIGTERM', maxOutputBytes, keepProcesses = [], cwd, variables } = orders;
  const environment = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return [
    folder,
    orders.stdinPath ?? '/dev/null',
    marker,
    JSON.stringify(host).slice(1, -1),
    bootId,
    stopSignal.replace(/^SIG/, ''),
    String(graceSeconds(orders.graceMs)),
    String(deadlineSeconds(orders, orders.graceMs)),
    orders.onRunnerLoss ?? 'adopt',
    maxOutputBytes === undefined ? '' : String(maxOutputBytes + excessBytes),
    keepProcesses.join('/'),
    cwd,
    toCreate,
    toAppend,
    String(environment.length),
    ...environment,
    ...toArguments(orders.command),
  ];
}

/** While no agent works, the keeper keeps no process alive that has nothing else to do. */
function hold(keeper: Running): void {
  keeper.isBusy = true;
  keeper.child.ref();
  keeper.line.ref();
}

function letGo(keeper: Running): void {
  keeper.isBusy = false;
  keeper.child.unref();
  keeper.line.unref();
}
