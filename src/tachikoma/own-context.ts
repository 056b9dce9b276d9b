import { type AppContext, useKeys } from '../app/index.ts';
import type { EnvironmentOptions } from '../library/index.ts';

/** Where a program works, and with which environment: its own, unless it says otherwise. */
export function contextOf({ cwd = process.cwd(), env = process.env }: EnvironmentOptions): AppContext {
  return { cwd, env: useKeys({ cwd, env }) };
}

/** Where the key of an encrypted document is looked for. */
export function keysOf(env: NodeJS.ProcessEnv = process.env): {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
} {
  return { env, cwd: process.cwd() };
}
