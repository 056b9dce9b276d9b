import { readFileSync } from 'node:fs';
import { shellWord } from '../base/index.ts';
import { thisMachine } from './identity.ts';
import { keeperProgram, keeperSettings, programVariable } from './keeper.ts';
import { type Command, toArguments } from './launch.ts';
import { systemTools } from './system-tools.ts';

/** What happens to a running agent when its ralphd dies: the next ralphd adopts it, or it is ended. */
export type RunnerLoss = 'adopt' | 'end';

/** The task of a keeper. */
export interface KeeperOrders {
  readonly command: Command;
  /** The folder of the attempt: `started`, `exit` and `overdue` are written there. */
  readonly folder: string;
  readonly marker: string;
  readonly timeoutMs?: number | undefined;
  /** How long it may run without a ralphd, from its start; as long as its timeout when left out. */
  readonly permitMs?: number | undefined;
  /**
   * A file with the instant, in seconds since the machine was started, until which its agents may run. Past it they are
   * stopped, go on when it is renewed, and are killed once it says 0 or is gone, or has not been renewed for a while and
   * their ralphd is dead: whoever owns the loop by then must not meet them. Only a keeper that runs in perl obeys it.
   */
  readonly permitFile?: string | undefined;
  readonly graceMs?: number | undefined;
  readonly stopSignal?: NodeJS.Signals | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly keepProcesses?: readonly string[] | undefined;
  /** `adopt` when left out. */
  readonly onRunnerLoss?: RunnerLoss | undefined;
  /** What the list of processes shows of the keeper besides its name, such as the loop and the iteration. */
  readonly title?: readonly string[] | undefined;
  /** The shell that runs the keeper; left out, it is perl where there is one, and /bin/sh elsewhere. */
  readonly shell?: readonly string[] | undefined;
}

// Gives a ralphd that has adopted the agent time to act first.
const headStartSeconds = 2;
const blockBytes = 512;

/** How a keeper is started: a command line that people can read, and a program in one variable. */
export interface KeeperStart {
  readonly command: readonly string[];
  readonly variables: NodeJS.ProcessEnv;
}

/** How a keeper is started; `markers` is what the agent carries, with those of outer attempts. */
export function keeperStart(orders: KeeperOrders, markers: string, graceMs: number): KeeperStart {
  const { folder, marker, stopSignal = 'SIGTERM', maxOutputBytes, keepProcesses = [] } = orders;
  const { host, bootId } = thisMachine();
  const values: Record<(typeof keeperSettings)[number], string> = {
    ...shellTools(),
    folder,
    marker,
    markers,
    host: JSON.stringify(host).slice(1, -1),
    boot: bootId,
    signal: stopSignal.replace(/^SIG/, ''),
    grace: String(graceSeconds(graceMs)),
    deadline: String(deadlineSeconds(orders, graceMs)),
    loss: orders.onRunnerLoss ?? 'adopt',
    blocks: maxOutputBytes === undefined ? 'unlimited' : String(Math.ceil(maxOutputBytes / blockBytes) + 1),
    keep: keepProcesses.join('/'),
    umask: umaskOf(),
  };
  const { shell = ['/bin/sh'], title = [] } = orders;
  const settings = keeperSettings.map((name) => `k_${name}=${shellWord(values[name])}`);
  const parameters = toArguments(orders.command).map(shellWord);
  return {
    command: [...shell, '-c', `eval "$${programVariable}"`, 'ralphd-keeper', ...title],
    variables: { [programVariable]: [...settings, `set -- ${parameters.join(' ')}`, keeperProgram].join('\n') },
  };
}

function shellTools() {
  const { perl: _perl, ...tools } = systemTools();
  return tools;
}

/** How long an agent may take to end, in the whole seconds that a keeper counts in. */
export function graceSeconds(graceMs: number): number {
  return Math.ceil(graceMs / 1_000);
}

/** How long an agent may run without a ralphd, from its start; 0 for as long as it wants. */
export function deadlineSeconds({ timeoutMs, permitMs }: Deadlines, graceMs: number): number {
  const overdue =
    timeoutMs === undefined ? [] : [Math.ceil(timeoutMs / 1_000) + graceSeconds(graceMs) + headStartSeconds];
  const permitted = permitMs === undefined ? [] : [Math.max(1, Math.ceil(permitMs / 1_000))];
  const deadlines = [...overdue, ...permitted];
  return deadlines.length === 0 ? 0 : Math.min(...deadlines);
}

type Deadlines = Pick<KeeperOrders, 'timeoutMs' | 'permitMs'>;

/** The umask for the agent's own files; the keeper determines it where this system does not reveal it. */
function umaskOf(): string {
  // Node can read it only by changing it, which would affect its other threads.
  if (process.platform !== 'linux') return '';
  const [, mask = ''] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return mask;
}
