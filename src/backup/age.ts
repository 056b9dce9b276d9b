import { failures, LoopError } from '../base/index.ts';

/** For whom a backup is encrypted: the holders of keys, or whoever knows a passphrase. */
export type Sealing =
  | { readonly recipients: readonly string[] }
  | {
      readonly passphrase: string;
      /** How much work a guess costs, as a power of 2; about a second by default. */
      readonly workFactor?: number;
    };

/** What opens encrypted backups. */
export interface Keys {
  readonly identities: readonly string[];
  readonly passphrase?: string | undefined;
}

/** Nothing to open encrypted backups with. */
export const noKeys: Keys = { identities: [] };

const recipientForm = /^age1[02-9ac-hj-np-z]{58}$/;
const identityForm = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/;
const start = 'age-encryption.org/v1\n';

/** Whether a text is the public key of somebody who can open backups. */
export function isRecipient(text: string): boolean {
  return recipientForm.test(text);
}

/** Whether bytes begin like a file in age's format. */
export function looksLikeAge(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).subarray(0, start.length).toString('latin1') === start;
}

/** Encrypts chunks in age's format as they come. */
export async function sealStream(
  chunks: AsyncIterable<Uint8Array>,
  sealing: Sealing,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = await encrypterFor(sealing);
  return await encrypter.encrypt(ReadableStream.from(chunks));
}

/** Encrypts bytes in age's format. */
export async function sealBytes(bytes: Uint8Array, sealing: Sealing): Promise<Uint8Array> {
  const encrypter = await encrypterFor(sealing);
  return await encrypter.encrypt(bytes);
}

/** Decrypts chunks as they come; a changed or shortened file ends in a failure. */
export async function* openStream(chunks: AsyncIterable<Uint8Array>, keys: Keys): AsyncIterable<Uint8Array> {
  const decrypter = await decrypterFor(keys);
  try {
    yield* await decrypter.decrypt(ReadableStream.from(chunks));
  } catch (error) {
    throw unopened(error);
  }
}

/** Decrypts bytes. */
export async function openBytes(bytes: Uint8Array, keys: Keys): Promise<Uint8Array> {
  const decrypter = await decrypterFor(keys);
  try {
    return await decrypter.decrypt(bytes);
  } catch (error) {
    throw unopened(error);
  }
}

/** The keys in a file as "age-keygen" writes it. */
export function parseIdentities(text: string, file: string): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isWhole = lines.length > 0 && lines.every((line) => identityForm.test(line));
  if (!isWhole) throw new LoopError(failures.identityUnusable(file, 'it contains no key as "age-keygen" writes it'));
  return lines;
}

// Loaded when it is used: most commands never encrypt.
async function encrypterFor(sealing: Sealing) {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  if ('passphrase' in sealing) {
    encrypter.setPassphrase(sealing.passphrase);
    if (sealing.workFactor !== undefined) encrypter.setScryptWorkFactor(sealing.workFactor);
  } else for (const recipient of sealing.recipients) addRecipient(encrypter, recipient);
  return encrypter;
}

function addRecipient(encrypter: { addRecipient(recipient: string): void }, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch {
    throw new LoopError(failures.recipientUnusable(recipient));
  }
}

async function decrypterFor({ identities, passphrase }: Keys) {
  if (identities.length === 0 && passphrase === undefined) throw new LoopError(failures.backupSealed());
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
  return decrypter;
}

function unopened(error: unknown): LoopError {
  if (error instanceof LoopError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new LoopError(failures.backupUnopened(why), { cause: error });
}
