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
import { keySetting } from './key-setting.ts';
import { timestamp } from './machine.ts';

/** What was found with the current setting. */
let found: { readonly with: KeySetting; readonly keys: Map<string, MasterKey | undefined> } | undefined;

/** Opens the encrypted loops of this process's user. */
export const vault = createVault({ sources: (keyFiles) => sourcesWith(keyFiles) });

/** The places where this process looks for a key; each is read once, because a keyring may ask for a password. */
export function sourcesWith(keyFiles: readonly string[]): readonly KeySource[] {
  const setting = keySetting();
  if (found?.with !== setting) found = { with: setting, keys: new Map() };
  const { keys } = found;
  return keySources(setting, keyFiles).map(({ name, read }) => ({
    name,
    read() {
      if (!keys.has(name)) keys.set(name, read());
      return keys.get(name);
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

/** The key file that a configuration names, as an absolute path. */
export function keyFilesOf(
  { persistence: { keyFile } }: Pick<LoopConfig, 'persistence'>,
  workingDirectory: string,
): readonly string[] {
  if (keyFile === undefined) return [];
  const { HOME: home } = keySetting().env;
  const place = keyFile.startsWith('~/') && home ? path.join(home, keyFile.slice(2)) : keyFile;
  return [path.resolve(workingDirectory, place)];
}
