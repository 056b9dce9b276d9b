import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Connection, createAnswer, readLines } from './connection.ts';
import { type NotStarted, notStarted } from './ending.ts';
import { keeperVariable } from './keeper.ts';
import { type KeeperOrders, keeperStart } from './keeper-command.ts';
import type { LaunchOptions } from './launch.ts';
import type { FreshSpool } from './spool.ts';
import { systemTools } from './system-tools.ts';

/** Starts an agent under a keeper of its own, a shell: for systems without perl. */
export async function connectToShell(
  options: LaunchOptions & KeeperOrders,
  { graceMs, markers }: { readonly graceMs: number; readonly markers: string },
  spool: FreshSpool,
): Promise<Connection | NotStarted> {
  const missing = missingTool();
  if (missing !== undefined) return notStarted('command', 'ENOENT', `This system has no program ${missing}.`);
  const { cwd, env, marker } = options;
  const { command, variables } = keeperStart(options, markers, graceMs);
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { ...env, ...variables, [keeperVariable]: marker },
    stdio: [...spool.stdio, 'pipe' as const],
    detached: true,
  });
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  const over = once(child, 'exit');
  // From then on ralphd ends whatever is left: the keeper may exit while ralphd is searching for it.
  const { answer, take } = createAnswer(() => void line.write('mine\n'));
  const line = readLines(child, take);
  return { answer, over, dry: over, close: async () => void line.destroy() };
}

function missingTool(): string | undefined {
  const { cat, sleep, setsid } = systemTools();
  const needed = { cat, sleep, ...(process.platform === 'linux' && { setsid }) };
  return Object.entries(needed).find(([, file]) => file === '')?.[0];
}
