import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type Connection, createAnswer, readLines } from './connection.ts';
import { errorCode, type NotStarted, notStarted } from './ending.ts';
import { foreseeFailure } from './explain-failure.ts';
import { keeperVariable } from './keeper.ts';
import { type KeeperOrders, keeperStart } from './keeper-command.ts';
import { type LaunchOptions, toArguments } from './launch.ts';
import type { Spool } from './spool.ts';
import { systemTools } from './system-tools.ts';

/** Starts an agent under a keeper of its own, a shell: for systems without perl. */
export async function connectToShell(
  options: LaunchOptions & KeeperOrders & { readonly stdinPath?: string | undefined },
  { graceMs, markers }: { readonly graceMs: number; readonly markers: string },
  { files: { stdout, stderr } }: Spool,
): Promise<Connection | NotStarted> {
  const missing = missingTool();
  if (missing !== undefined) return notStarted('command', 'ENOENT', `This system has no program ${missing}.`);
  const { cwd, env, marker, stdinPath } = options;
  // It cannot report why a program does not start.
  const foreseen = foreseeFailure(toArguments(options.command)[0] ?? '', options);
  if (foreseen !== undefined) return foreseen;
  const { command, variables } = keeperStart(options, markers, graceMs);
  const [file = '', ...args] = command;
  const stdin = openInput(stdinPath);
  if (typeof stdin === 'object') return stdin;
  const child = spawn(file, args, {
    cwd,
    env: { ...env, ...variables, [keeperVariable]: marker },
    stdio: [stdin, stdout, stderr, 'pipe'],
    detached: true,
  });
  if (stdin !== 'ignore') closeSync(stdin);
  if (child.pid === undefined) throw (await once(child, 'error'))[0];
  const over = once(child, 'exit');
  // From then on ralphd ends whatever is left: the keeper may exit while ralphd is searching for it.
  const { answer, take } = createAnswer(() => void line.write('mine\n'));
  const line = readLines(child, take);
  return { answer, over, dry: over, close: async () => void line.destroy() };
}

function openInput(file: string | undefined): 'ignore' | number | NotStarted {
  try {
    return file === undefined ? 'ignore' : openSync(file, 'r');
  } catch (error) {
    return notStarted('files', errorCode(error), error instanceof Error ? error.message : String(error));
  }
}

function missingTool(): string | undefined {
  const { cat, sleep, setsid } = systemTools();
  const needed = { cat, sleep, ...(process.platform === 'linux' && { setsid }) };
  return Object.entries(needed).find(([, file]) => file === '')?.[0];
}
