import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { type FilePort, makeRoot, nodeFiles, quietly, readIfThere } from '../files/index.ts';
import { createVault, type KeySetting, keySources, type LockedLoop } from '../vault/index.ts';
import { openDocumentBackups, openDocumentFile } from './document-file.ts';

/** Where a program keeps the document of a loop, and how its key is found. */
export interface DocumentPlace {
  readonly statePath: string;
  readonly backupDir: string;
  /** A file with the key, besides the places where every key is looked for. */
  readonly keyFile?: string | undefined;
  readonly keys: KeySetting;
  /** The disk itself; that of the machine, unless given. */
  readonly files?: FilePort;
}

/** The disk for a document and its backups. */
export interface DocumentDisk {
  /** Where they are read and written; what is encrypted is decrypted on the way. */
  readonly files: FilePort;
  readonly isEncrypted: boolean;
  /** Restores copies of the wrapped key that somebody removed: without one, nobody can read the document. */
  keep(): void;
  /** Removes the key of a document that is gone. */
  forget(): void;
}

const keyFileName = 'key.json';
const maxKeyBytes = 16 * 1024;

/** The disk for a document that is not encrypted. */
export const plainDisk: DocumentDisk = { files: nodeFiles, isEncrypted: false, keep: () => {}, forget: () => {} };

/** The disk for a document that was encrypted before; undefined if it was not. Throws if its key is not found. */
export function encryptedDisk(place: DocumentPlace, loopId: string): DocumentDisk | undefined {
  const records = recordsOf(place);
  if (records.length === 0) return undefined;
  const owner = records.map(ownerOf).find((each) => each !== undefined);
  // The first record is written before anything is encrypted: if that broke off, there is nothing to decrypt.
  if (owner === undefined && !isAnySealed(place)) return undefined;
  // A caller that does not know yet which loop it has takes the one that is there.
  const location = locationOf(place, loopId === '' ? (owner ?? '') : loopId);
  if (owner !== undefined && owner !== location.loopId) {
    throw new LoopError(failures.documentOfOtherLoop(path.resolve(place.statePath), location.loopId, owner));
  }
  assertNoForeignKey(place);
  const loop = vaultOf(place).loopAt(location);
  if (loop === undefined) return undefined;
  if (!loop.unlock().complete) encryptFiles(loop, place);
  loop.keep();
  return diskOf(loop, place);
}

/** Encrypts a document and its backups, or prepares that for one that does not exist yet. Throws if there is no key. */
export function encryptDocument(place: DocumentPlace, loopId: string, createdAt: string): DocumentDisk {
  const location = locationOf(place, loopId);
  const master = sourcesOf(place, [])
    .map(({ read }) => read())
    .find((key) => key !== undefined);
  if (master === undefined) throw new LoopError(failures.keyNeeded());
  assertNoForeignKey(place);
  makeRoot(location.files, location.folder);
  const loop = vaultOf(place).newLoopAt(location, { master, createdAt, clear: [], complete: false });
  const file = path.resolve(place.statePath);
  if (!loop.mustProtect(file))
    throw new LoopError(failures.documentNotEncryptable(file, 'a file with this name is never encrypted'));
  loop.begin();
  encryptFiles(loop, place);
  return diskOf(loop, place);
}

/** Whether a text is that of an encrypted file. */
export function isSealedText(text: string): boolean {
  return text.startsWith('{"ralphd":"sealed"');
}

/** Each file is replaced in one step, and only the last step says that all of them are encrypted. */
function encryptFiles(loop: LockedLoop, { statePath, backupDir, files = nodeFiles }: DocumentPlace): void {
  for (const file of [path.resolve(statePath), ...openDocumentBackups(backupDir, files).list()]) {
    if (files.look(file)?.kind === 'file') loop.protect(file);
  }
  loop.rewrap({ complete: true });
}

function diskOf(loop: LockedLoop, place: DocumentPlace): DocumentDisk {
  return {
    files: loop.files,
    isEncrypted: true,
    keep: () => loop.keep(),
    forget() {
      const { files = nodeFiles } = place;
      for (const file of keyFilesOf(place)) quietly(() => files.remove(file));
    },
  };
}

function locationOf({ statePath, backupDir, files = nodeFiles }: DocumentPlace, loopId: string) {
  return {
    files,
    loopId,
    folder: path.dirname(path.resolve(statePath)),
    mirror: path.resolve(backupDir),
  };
}

function vaultOf(place: DocumentPlace) {
  return createVault({ sources: (keyFiles) => sourcesOf(place, keyFiles) });
}

function sourcesOf({ keys, keyFile }: DocumentPlace, known: readonly string[]) {
  return keySources(keys, [...(keyFile === undefined ? [] : [path.resolve(keys.cwd, keyFile)]), ...known]);
}

/** The copies of the wrapped key. */
function keyFilesOf(place: DocumentPlace): readonly string[] {
  const { folder, mirror } = locationOf(place, '');
  const folders = [folder, path.join(folder, 'journal'), path.join(folder, 'backups'), mirror];
  return [...new Set(folders)].map((each) => path.join(each, keyFileName));
}

/** How a record of a wrapped key begins. */
const recordStart = '{\n  "ralphd": "key"';

/** The texts of the records, whole or not; other programs may have a file of that name too. */
function recordsOf(place: DocumentPlace): readonly string[] {
  return keyTexts(place).flatMap(({ text }) => (isRecord(text) ? [text] : []));
}

function isRecord(text: string): boolean {
  return text.startsWith(recordStart) || recordStart.startsWith(text);
}

/** Refuses to replace a file that is none of ours. */
function assertNoForeignKey(place: DocumentPlace): void {
  const foreign = keyTexts(place).find(({ text }) => !isRecord(text));
  if (foreign === undefined) return;
  const why = `its key would be kept in ${foreign.file}, which belongs to another program`;
  throw new LoopError(failures.documentNotEncryptable(path.resolve(place.statePath), why));
}

function keyTexts(place: DocumentPlace): readonly { readonly file: string; readonly text: string }[] {
  const { files = nodeFiles } = place;
  return keyFilesOf(place).flatMap((file) => {
    const bytes = readIfThere(files, file, { limit: maxKeyBytes });
    return bytes === undefined ? [] : [{ file, text: bytes.toString() }];
  });
}

function isAnySealed({ statePath, backupDir, files = nodeFiles }: DocumentPlace): boolean {
  const backups = openDocumentBackups(backupDir, files).list();
  return [path.resolve(statePath), ...backups].some((file) => isSealedText(openDocumentFile(file, files).read() ?? ''));
}

/** The loop that a record names; undefined for one that is damaged. */
function ownerOf(text: string): string | undefined {
  try {
    const loopId: unknown = Reflect.get(Object(JSON.parse(text)), 'loop_id');
    return typeof loopId === 'string' ? loopId : undefined;
  } catch {
    return undefined;
  }
}
