import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** The installed program. */
export const launcher = path.resolve(import.meta.dirname, '../../bin/ralphd.mjs');

/** The exit code and the output of a command. */
export interface Called {
  readonly code: number;
  readonly stdout: string;
}

/** The home beside a folder, for loops whose sandbox may not contain it. */
export function homeBeside(folder: string): string {
  return `${folder}-home`;
}

/** Starts ralphd in a folder that is also its home, unless there is one beside it; only stdout is read. */
export function startRalphd(folder: string, args: readonly string[]): ChildProcess {
  const beside = homeBeside(folder);
  return spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: existsSync(beside) ? beside : folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Runs ralphd to its end. */
export async function callRalphd(folder: string, args: readonly string[]): Promise<Called> {
  const child = startRalphd(folder, args);
  let stdout = '';
  for await (const line of linesOf(child)) stdout += `${line}\n`;
  return { code: (await ended(child)) ?? -1, stdout };
}

/** What a process prints, line by line. */
export function linesOf({ stdout }: ChildProcess): AsyncIterable<string> {
  if (stdout === null) throw new Error('Its output is not piped.');
  return createInterface({ input: stdout });
}

/** The exit code of a process, once it has exited. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
