import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const howToUnlock =
  'Name the file with the key in the variable RALPHD_KEY_FILE, or put the key itself into RALPHD_KEY; "ralphd key check" shows which keys are found.';

/** What can go wrong with the keys of encrypted loops. */
export const vaultFailures = {
  keyMissing: (loopId: string, keyId: string, why?: string) => ({
    code: 'KEY_MISSING',
    exitCode: exitCodes.configuration,
    message: `Loop ${loopId} is encrypted, and its key (${keyId}) was not found. ${why === undefined ? '' : `${why}. `}Nothing was changed.`,
    hint: howToUnlock,
  }),
  keyNeeded: () => ({
    code: 'KEY_NEEDED',
    exitCode: exitCodes.configuration,
    message: 'The state of the loop is to be encrypted ("persistence.encrypt"), and no key was found.',
    hint: 'Create a key with "ralphd key new --file FILE", then name that file in RALPHD_KEY_FILE or in the setting "persistence.keyFile".',
  }),
  keyWrong: (loopId: string, needed: string, found: string) => ({
    code: 'KEY_WRONG',
    exitCode: exitCodes.configuration,
    message: `Loop ${loopId} is encrypted with key ${needed}; the key that was found is another one (${found}). Nothing was changed.`,
    hint: howToUnlock,
  }),
  keyInvalid: (source: string) => ({
    code: 'KEY_INVALID',
    exitCode: exitCodes.configuration,
    message: `The key in ${source} is not a whole key of ralphd: it may have been shortened.`,
    hint: 'Use your copy of the key. A key is one line that begins with "ralphd-key-1.".',
  }),
  keyUnreadable: (file: string, why: string) => ({
    code: 'KEY_UNREADABLE',
    exitCode: exitCodes.configuration,
    message: `The key file ${file} cannot be read: ${why}.`,
    hint: 'Check the path in RALPHD_KEY_FILE or "persistence.keyFile", or create a key with "ralphd key new --file FILE".',
  }),
  keyExposed: (file: string, mode: string) => ({
    code: 'KEY_EXPOSED',
    exitCode: exitCodes.configuration,
    message: `Other users can read the key file ${file} (mode ${mode}). It was not used.`,
    hint: `Run "chmod 600 ${file}". If others may have read it, create a new key and run "ralphd key rotate".`,
  }),
  keyRecordDamaged: (loopId: string, folder: string) => ({
    code: 'KEY_RECORD_DAMAGED',
    exitCode: exitCodes.needsPerson,
    message: `Loop ${loopId} is encrypted, and no copy of its key.json in ${folder} is intact. Nothing was changed.`,
    hint: 'Restore key.json in that folder from your own backup: without it, nobody can read the loop.',
  }),
  keyFileExists: (file: string) => ({
    code: 'KEY_FILE_EXISTS',
    exitCode: exitCodes.usage,
    message: `${file} already exists, and a key that is overwritten is lost. It was left as it is.`,
    hint: 'Choose another file with "ralphd key new --file FILE".',
  }),
  keyringFailed: (program: string, why: string) => ({
    code: 'KEYRING_FAILED',
    exitCode: exitCodes.configuration,
    message: `The key could not be stored in the keyring with ${program}: ${why}.`,
    hint: 'Keep the key in a file instead: "ralphd key new --file FILE".',
  }),
  encryptionNeedsState: () => ({
    code: 'ENCRYPTION_NEEDS_STATE',
    exitCode: exitCodes.usage,
    message: 'A loop that keeps no state ("persistence.enabled: false") cannot be encrypted.',
    hint: 'Remove one of the two settings.',
  }),
  alreadyEncrypted: (loopId: string) => ({
    code: 'ALREADY_ENCRYPTED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is already encrypted.`,
    hint: 'Change its key with "ralphd key rotate --to FILE".',
  }),
} as const satisfies FailureFamily;
