import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { createFileExclusively, makeRoot, nodeCareFiles, nodeFiles } from '../files/index.ts';
import {
  attemptFolder,
  filesBelow,
  holdUnowned,
  type LoopProtection,
  removeLeftovers,
  sqliteLock,
} from '../store/index.ts';
import {
  createKeyText,
  findKeyring,
  type LockedLoop,
  type LoopLocation,
  type MasterKey,
  parseKeyText,
  readKeyFile,
} from '../vault/index.ts';
import { keySetting } from './key-setting.ts';
import { masterKey, sourcesWith, vault } from './keys.ts';
import { timestamp } from './machine.ts';
import { findLoopId, readLoop } from './read-loops.ts';
import { refreshQuietly } from './registry.ts';
import { type LoopPlace, mirrorFolder, openStore } from './stores.ts';

/** A new master key and where it is. The key itself is never shown. */
export interface NewKey {
  readonly id: string;
  readonly where: string;
}

/** Creates a master key in a new file that only its user can read. */
export function createKeyFile(file: string): NewKey {
  const text = createKeyText();
  makeRoot(nodeFiles, path.dirname(file));
  if (!createFileExclusively(nodeFiles, file, Buffer.from(`${text}\n`)))
    throw new LoopError(failures.keyFileExists(file));
  return { id: parseKeyText(text, { source: file }).id, where: file };
}

/** Creates a master key in the keyring of the system; refuses to replace one. */
export function createKeyInKeyring(): NewKey {
  const { env, cwd } = keySetting();
  const keyring = findKeyring(env, cwd);
  if (keyring === undefined) throw new LoopError(failures.keyringFailed('secret-tool', 'it is not installed'));
  if (keyring.read() !== undefined)
    throw new LoopError(failures.keyFileExists(`A key in the keyring (${keyring.name})`));
  const text = createKeyText();
  keyring.store(text);
  return { id: parseKeyText(text, { source: keyring.name }).id, where: `the keyring (${keyring.name})` };
}

/** The keys that this process finds, and what the loops of a place need. */
export interface KeyCheck {
  readonly keys: readonly CheckedKey[];
  readonly loops: readonly CheckedLoop[];
}

/** One place with a key, or what is wrong with it. */
export interface CheckedKey {
  readonly where: string;
  readonly id?: string;
  readonly problem?: string;
}

/** Whether one loop is encrypted, and whether it can be unlocked. */
export interface CheckedLoop {
  readonly loopId: string;
  readonly state: 'unlocked' | 'locked' | 'not encrypted' | 'partly encrypted';
  /** Why it is locked. */
  readonly problem?: string;
}

/** Checks every key and every loop. Changes nothing. */
export function checkKeys(place: LoopPlace, keyFiles: readonly string[]): KeyCheck {
  const store = openStore(place);
  const keys = sourcesWith(keyFiles).flatMap(({ name, read }): readonly CheckedKey[] => {
    const found = attempt(read);
    if ('problem' in found) return [{ where: name, problem: found.problem }];
    return found.value === undefined ? [] : [{ where: name, id: found.value.id }];
  });
  const loops = store.list().map((loopId): CheckedLoop => {
    const locked = vault.loopAt(locationOf(place, loopId));
    if (locked === undefined) return { loopId, state: 'not encrypted' };
    const found = attempt(() => locked.unlock());
    if ('problem' in found) return { loopId, state: 'locked', problem: found.problem };
    return { loopId, state: found.value.complete ? 'unlocked' : 'partly encrypted' };
  });
  return { keys, loops };
}

function attempt<Value>(step: () => Value): { readonly value: Value } | { readonly problem: string } {
  try {
    return { value: step() };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return { problem: error.failure.message };
  }
}

/** What was encrypted. */
export interface EncryptedLoop {
  readonly loopId: string;
  readonly keyId: string;
  readonly files: number;
}

/**
 * Encrypts a loop that no process runs. Each file is replaced when its encrypted form is durable; a loop whose encryption
 * was interrupted can be read and continued, and encrypted to its end later.
 */
export function encryptLoop(
  place: LoopPlace,
  query: string,
  { env, keyFiles }: { readonly env: NodeJS.ProcessEnv; readonly keyFiles: readonly string[] },
): EncryptedLoop {
  const store = openStore(place);
  const loopId = findLoopId(place, query, { isUnique: true });
  const location = locationOf(place, loopId);
  const found = { ...store.place(loopId), files: nodeCareFiles };
  using _held = holdUnowned(found, sqliteLock);
  const { current } = readLoop(store, loopId).loop.position;
  const loop = beginEncryption(location, keyFiles);
  const { keyId } = loop.unlock();
  // Git cannot read encrypted contents, and the copy of the journal is made again by the next owner.
  const mirror = mirrorFolder(place, env, loopId);
  const gone = [path.join(found.folder, 'diffs'), ...(mirror === undefined ? [] : [mirror])];
  removeLeftovers(
    nodeCareFiles,
    gone.map((each) => ({ path: each, bytes: 0, why: 'it cannot be encrypted' })),
  );
  // An agent that outlived its owner still writes there; the next owner encrypts what it leaves.
  const isAtWork = current && attemptFolder(found, current);
  const files = encryptFiles(loop, found.folder, (file) => path.dirname(file) !== isAtWork);
  loop.rewrap({ complete: true });
  refreshQuietly(place);
  return { loopId, keyId, files };
}

function beginEncryption(location: LoopLocation, keyFiles: readonly string[]): LockedLoop {
  const locked = vault.loopAt(location);
  if (locked?.unlock().complete) throw new LoopError(failures.alreadyEncrypted(location.loopId));
  if (locked) return locked;
  const wanted = { master: masterKey(keyFiles), createdAt: timestamp(), clear: [], complete: false };
  const loop = vault.newLoopAt(location, wanted);
  loop.begin();
  return loop;
}

function encryptFiles(
  loop: Pick<LoopProtection, 'protect' | 'mustProtect'>,
  folder: string,
  isWanted: (file: string) => boolean,
): number {
  let count = 0;
  for (const { path: file, kind } of filesBelow(nodeCareFiles, folder)) {
    if (kind !== 'file' || !loop.mustProtect(file) || !isWanted(file)) continue;
    loop.protect(file);
    count += 1;
  }
  return count;
}

/** Which loops have the new key now, and which could not get it. */
export interface KeyRotation {
  readonly keyId: string;
  readonly rotated: readonly string[];
  readonly failed: readonly { readonly loopId: string; readonly why: string }[];
}

/** Wraps the keys of encrypted loops with another master key. Their content stays as it is. */
export function rotateKey(
  place: LoopPlace,
  to: string,
  { query, env }: { readonly query: string | undefined; readonly env: NodeJS.ProcessEnv },
): KeyRotation {
  const master: MasterKey = readKeyFile(to);
  const store = openStore(place);
  const ids = query === undefined ? store.list() : [findLoopId(place, query, { isUnique: true })];
  const rotated: string[] = [];
  const failed: { loopId: string; why: string }[] = [];
  for (const loopId of ids) {
    const locked = vault.loopAt({ ...locationOf(place, loopId), mirror: mirrorFolder(place, env, loopId) });
    if (locked === undefined) continue;
    const found = attempt(() => {
      using _held = holdUnowned({ ...store.place(loopId), files: nodeCareFiles }, sqliteLock);
      if (locked.unlock().keyId !== master.id) locked.rewrap({}, master);
      // An earlier rotation may have been cut off after the first copy.
      else locked.keep();
    });
    if ('problem' in found) failed.push({ loopId, why: found.problem });
    else rotated.push(loopId);
  }
  return { keyId: master.id, rotated, failed };
}

function locationOf({ root }: LoopPlace, loopId: string): LoopLocation {
  return { files: nodeFiles, loopId, folder: path.join(root, 'loops', loopId) };
}
