import path from 'node:path';
import { isRecipient, type Keys, parseIdentities, type Sealing } from '../../backup/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { readForeignFile } from '../../files/index.ts';

/** What a user gives to encrypt or to open backups. */
export interface KeyFiles {
  readonly cwd: string;
  readonly recipients?: readonly string[] | undefined;
  readonly identity?: string | undefined;
  readonly passphraseFile?: string | undefined;
}

const maxKeyBytes = 64 * 1024;
const minPassphraseLength = 8;

/** For whom to encrypt; undefined for nobody. */
export function sealingFrom({ recipients = [], passphraseFile, cwd }: KeyFiles): Sealing | undefined {
  const unusable = recipients.find((recipient) => !isRecipient(recipient));
  if (unusable !== undefined) throw new LoopError(failures.recipientUnusable(unusable));
  if (passphraseFile !== undefined) return { passphrase: readPassphrase(cwd, passphraseFile) };
  return recipients.length === 0 ? undefined : { recipients };
}

/** What opens backups. */
export function keysFrom({ identity, passphraseFile, cwd }: KeyFiles): Keys {
  const read = (file: string) => readForeignFile(path.resolve(cwd, file), maxKeyBytes).toString();
  return {
    identities: identity === undefined ? [] : parseIdentities(read(identity), identity),
    ...(passphraseFile === undefined ? {} : { passphrase: readPassphrase(cwd, passphraseFile) }),
  };
}

function readPassphrase(cwd: string, file: string): string {
  const [first = ''] = readForeignFile(path.resolve(cwd, file), maxKeyBytes).toString().split(/\r?\n/);
  if (first.length < minPassphraseLength) throw new LoopError(failures.passphraseUnusable(file));
  return first;
}
