import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import { nodeCareFiles, readForeignFile, reasonOf, resolveForeignFile } from '../files/index.ts';
import { findKeyring } from './keyring.ts';
import { type MasterKey, parseKeyText } from './master-key.ts';

/** Where this process looks for its master key. */
export interface KeySetting {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** A place that may have a key. Reading it throws if there is something that is not a usable key. */
export interface KeySource {
  readonly name: string;
  read(): MasterKey | undefined;
}

const maxBytes = 4_096;

/** The places to look for a key, in order: the environment, files, the system's keyring. */
export function keySources({ env, cwd }: KeySetting, keyFiles: readonly string[] = []): readonly KeySource[] {
  const { RALPHD_KEY: text, RALPHD_KEY_FILE: named } = env;
  const files = [...(named ? [path.resolve(cwd, named)] : []), ...keyFiles];
  return [
    ...(text ? [{ name: 'RALPHD_KEY', read: () => parseKeyText(text, { source: 'the variable RALPHD_KEY' }) }] : []),
    ...[...new Set(files)].map((file) => ({ name: file, read: () => readKeyFile(file) })),
    { name: 'the keyring', read: () => readKeyring({ env, cwd }) },
  ];
}

/** Reads a key file; refuses one that other users can read. */
export function readKeyFile(file: string): MasterKey {
  let text: string;
  try {
    const place = resolveForeignFile(file);
    const found = nodeCareFiles.lookClosely(place);
    const exposed = found?.kind === 'file' && (found.mode & 0o077) !== 0;
    if (exposed) throw new LoopError(failures.keyExposed(file, found.mode.toString(8).padStart(4, '0')));
    text = readForeignFile(place, maxBytes).toString('utf8');
  } catch (error) {
    if (!(error instanceof LoopError) || error.failure.code === 'KEY_EXPOSED') throw error;
    const why = error.cause instanceof Error ? reasonOf(error.cause) : 'it is not a file, or too long for a key';
    throw new LoopError(failures.keyUnreadable(file, why), { cause: error });
  }
  return parseKeyText(text, { source: file, file });
}

function readKeyring({ env, cwd }: KeySetting): MasterKey | undefined {
  const keyring = findKeyring(env, cwd);
  const text = keyring?.read();
  return keyring && text !== undefined ? parseKeyText(text, { source: `the keyring (${keyring.name})` }) : undefined;
}
