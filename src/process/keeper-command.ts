import { readFileSync } from 'node:fs';
import { thisMachine } from './identity.ts';
import { KEEPER, KEEPER_ARGUMENTS } from './keeper.ts';
import { type Command, toArguments } from './launch.ts';
import { systemTools } from './system-tools.ts';

/** What happens to a running agent when its ralphd dies: the next one goes on with it, or it is ended. */
export type RunnerLoss = 'adopt' | 'end';

/** What a keeper is to do. */
export interface KeeperOrders {
  readonly command: Command;
  /** The folder of the attempt: `started`, `exit` and `overdue` are written there. */
  readonly folder: string;
  readonly marker: string;
  readonly timeoutMs?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly stopSignal?: NodeJS.Signals | undefined;
  readonly maxOutputBytes?: number | undefined;
  readonly keepProcesses?: readonly string[] | undefined;
  /** `adopt` when left out. */
  readonly onRunnerLoss?: RunnerLoss | undefined;
  /** The shell that plays the keeper; /bin/sh when left out. */
  readonly shell?: readonly string[] | undefined;
}

// So that a ralphd that has adopted the agent is always the first to act.
const HEAD_START_S = 2;
const BLOCK_BYTES = 512;

/** The keeper's command line; `markers` is what the agent carries, with those of outer attempts. */
export function keeperCommand(orders: KeeperOrders, markers: string, graceMs: number): readonly string[] {
  const { folder, marker, timeoutMs, stopSignal = 'SIGTERM', maxOutputBytes, keepProcesses = [] } = orders;
  const { host, bootId } = thisMachine();
  const grace = Math.ceil(graceMs / 1_000);
  const deadline = timeoutMs === undefined ? 0 : Math.ceil(timeoutMs / 1_000) + grace + HEAD_START_S;
  const told: Record<(typeof KEEPER_ARGUMENTS)[number], string> = {
    ...systemTools(),
    folder,
    marker,
    markers,
    host: JSON.stringify(host).slice(1, -1),
    boot: bootId,
    signal: stopSignal.replace(/^SIG/, ''),
    grace: String(grace),
    deadline: String(deadline),
    loss: orders.onRunnerLoss ?? 'adopt',
    blocks: maxOutputBytes === undefined ? 'unlimited' : String(Math.ceil(maxOutputBytes / BLOCK_BYTES) + 1),
    keep: keepProcesses.join('/'),
    umask: umaskOf(),
  };
  const { shell = ['/bin/sh'] } = orders;
  return [
    ...shell,
    '-c',
    KEEPER,
    'ralphd-keeper',
    ...KEEPER_ARGUMENTS.map((name) => told[name]),
    ...toArguments(orders.command),
  ];
}

/** What the agent's own files are made with; the keeper finds it out where this system does not tell. */
function umaskOf(): string {
  // Node can only tell by changing it, which its other threads would notice.
  if (process.platform !== 'linux') return '';
  const [, mask = ''] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return mask;
}
