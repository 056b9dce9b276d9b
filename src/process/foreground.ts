import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that a person uses in their terminal, such as an editor. */
export interface ForegroundOptions {
  /** A line for the shell, and what to add to it as further arguments. */
  readonly line: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program in the foreground of this terminal until it ends; returns its exit code, `null` after a signal. */
export async function runInForeground({ line, args, cwd, env }: ForegroundOptions): Promise<number | null> {
  const child = spawn('/bin/sh', ['-c', `${line} "$@"`, 'sh', ...args], { cwd, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
