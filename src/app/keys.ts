import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import {
  createVault,
  type KeySetting,
  type KeySource,
  keySources,
  type MasterKey,
  type Wanted,
} from '../vault/index.ts';
import { timestamp } from './machine.ts';

/** Where this process looks for keys: it has one user and one environment. */
let setting: KeySetting = { env: {}, cwd: '/' };
let found = new Map<string, MasterKey | undefined>();

/** Sets where this process looks for keys; returns the environment for everything else, which has no key in it. */
export function useKeys(given: KeySetting): NodeJS.ProcessEnv {
  setting = { cwd: given.cwd, env: { ...given.env } };
  found = new Map();
  const { RALPHD_KEY: key, ...rest } = given.env;
  return key === undefined ? given.env : rest;
}

/** Opens the encrypted loops of this process's user. */
export const vault = createVault({ sources: (keyFiles) => sourcesWith(keyFiles) });

/** The places where this process looks for a key; each is read once, because a keyring may ask for a password. */
export function sourcesWith(keyFiles: readonly string[]): readonly KeySource[] {
  return keySources(setting, keyFiles).map(({ name, read }) => ({
    name,
    read() {
      if (!found.has(name)) found.set(name, read());
      return found.get(name);
    },
  }));
}

/** How a new loop is to be encrypted; undefined if it is not. Refuses a loop whose key cannot be found. */
export function encryptionOf(
  { persistence }: Pick<LoopConfig, 'persistence'>,
  workingDirectory: string,
): Wanted | undefined {
  if (!persistence.encrypt) return undefined;
  if (!persistence.enabled) throw new LoopError(failures.encryptionNeedsState());
  return {
    master: masterKey(keyFilesOf({ persistence }, workingDirectory)),
    createdAt: timestamp(),
    clear: persistence.encryptSnapshot ? [] : ['state.json'],
    complete: true,
  };
}

/** The master key that is found first. */
export function masterKey(keyFiles: readonly string[] = []): MasterKey {
  for (const { read } of sourcesWith(keyFiles)) {
    const master = read();
    if (master !== undefined) return master;
  }
  throw new LoopError(failures.keyNeeded());
}

/** The user's keyring and home, for commands about keys. */
export function keySetting(): KeySetting {
  return setting;
}

/** The key file that a configuration names, as an absolute path. */
export function keyFilesOf(
  { persistence: { keyFile } }: Pick<LoopConfig, 'persistence'>,
  workingDirectory: string,
): readonly string[] {
  if (keyFile === undefined) return [];
  const { HOME: home } = setting.env;
  const place = keyFile.startsWith('~/') && home ? path.join(home, keyFile.slice(2)) : keyFile;
  return [path.resolve(workingDirectory, place)];
}
