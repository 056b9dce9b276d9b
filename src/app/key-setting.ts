import type { KeySetting } from '../vault/index.ts';

// Without further imports: every command line loads this file before it knows what it has to do.

let current: KeySetting = { env: {}, cwd: '/' };

/** Where this process looks for keys: it has one user and one environment. */
export function keySetting(): KeySetting {
  return current;
}

/** Sets where this process looks for keys; returns the environment for everything else, which has no key in it. */
export function useKeys(given: KeySetting): NodeJS.ProcessEnv {
  current = { cwd: given.cwd, env: { ...given.env } };
  const { RALPHD_KEY: key, ...rest } = given.env;
  return key === undefined ? given.env : rest;
}
