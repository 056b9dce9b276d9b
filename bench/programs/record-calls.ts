import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded into ralphd before anything else (`--import`): notes when each call of the file system and each start of a process
 * began and ended, and writes that down when ralphd exits. Nothing in ralphd knows of it.
 */

/** One call: its name, what it was about, and its beginning and end on the wall clock in milliseconds. */
export type Call = readonly [name: string, about: string, from: number, to: number];

const { CALLS_FILE: file } = process.env;
const calls: Call[] = [];
const paths = new Map<number, string>();
const now = () => performance.timeOrigin + performance.now();

if (file !== undefined) {
  delete process.env['CALLS_FILE'];
  const { writeFileSync } = fs;
  for (const name of Object.keys(fs)) if (name.endsWith('Sync')) record(fs, name);
  record(childProcess, 'spawn');
  syncBuiltinESMExports();
  process.on('exit', () => writeFileSync(file, JSON.stringify(calls)));
}

type Functions = Record<string, (...args: unknown[]) => unknown>;

function record(module: object, name: string): void {
  const functions = module as Functions;
  const original = functions[name];
  if (typeof original !== 'function') return;
  functions[name] = Object.assign((...args: unknown[]) => {
    const from = now();
    try {
      const result = original(...args);
      if (name === 'openSync') paths.set(result as number, String(args[0]));
      return result;
    } finally {
      const [first] = args;
      const about = typeof first === 'number' ? (paths.get(first) ?? `file ${first}`) : String(first);
      calls.push([name, about, from, now()]);
    }
  }, original);
}
