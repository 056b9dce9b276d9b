import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The launcher, started by the Node that runs the bench. */
export const launcher = path.resolve(import.meta.dirname, '../bin/ralphd.mjs');

/** The milliseconds that a Node program takes from start to end. */
export async function timeNode(args: readonly string[], cwd: string = import.meta.dirname): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  const ms = performance.now() - startedAt;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return ms;
}
