import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with backups outside the state folder. */
export const backupFailures = {
  recipientUnusable: (recipient: string) => ({
    code: 'RECIPIENT_UNUSABLE',
    exitCode: exitCodes.usage,
    message: `"${recipient}" is not the public key of an age identity.`,
    hint: 'Create an identity with "age-keygen -o key.txt"; the file names its public key, which begins with "age1".',
  }),
  identityUnusable: (file: string, why: string) => ({
    code: 'IDENTITY_UNUSABLE',
    exitCode: exitCodes.usage,
    message: `${file} cannot be used to open a backup: ${why}.`,
    hint: 'Name the file of the identity with "--identity FILE"; decrypt it first with "age -d" if it is encrypted itself.',
  }),
  passphraseUnusable: (file: string) => ({
    code: 'PASSPHRASE_UNUSABLE',
    exitCode: exitCodes.usage,
    message: `${file} contains no passphrase of at least 8 characters in its first line.`,
    hint: 'Write a passphrase into the first line of that file, and keep a copy of it elsewhere.',
  }),
  backupSealed: () => ({
    code: 'BACKUP_SEALED',
    exitCode: exitCodes.needsPerson,
    message: 'The backup is encrypted with age, and nothing was named that opens it.',
    hint: 'Name the file of the identity with "--identity FILE", or that of the passphrase with "--passphrase-file FILE".',
  }),
  backupUnopened: (why: string) => ({
    code: 'BACKUP_UNOPENED',
    exitCode: exitCodes.failed,
    message: `The backup cannot be decrypted: ${why}.`,
    hint: 'Check that the identity or passphrase is the one that it was made for. If it is, the backup is damaged: choose an older one.',
  }),
  backupDamaged: (what: string, why: string) => ({
    code: 'BACKUP_DAMAGED',
    exitCode: exitCodes.failed,
    message: `${what} cannot be used: ${why}.`,
    hint: 'Choose another backup; "ralphd backup verify" names those that are intact.',
  }),
  backupNotFound: (where: string, what: string) => ({
    code: 'BACKUP_NOT_FOUND',
    exitCode: exitCodes.usage,
    message: `${where} contains no ${what}.`,
    hint: 'Check the place and its prefix; without an ID, "ralphd restore --from PLACE" lists the loops that are there.',
  }),
  backupTaken: (file: string) => ({
    code: 'BACKUP_TAKEN',
    exitCode: exitCodes.usage,
    message: `${file} already exists and was not overwritten.`,
    hint: 'Choose another name with "--to FILE", or a folder: then the name contains the time.',
  }),
  backupDiverged: (target: string, loopId: string, backup: string) => ({
    code: 'BACKUP_DIVERGED',
    exitCode: exitCodes.locked,
    message: `Another machine has continued loop ${loopId}: ${target} has its backup ${backup}, which does not lead to the loop on this machine. Nothing was overwritten.`,
    hint: 'Decide which of the two continues, and end the other one with "ralphd abort"; or use another prefix or folder for this one.',
  }),
  backupTargetUnusable: (target: string, why: string) => ({
    code: 'BACKUP_TARGET_UNUSABLE',
    exitCode: exitCodes.configuration,
    message: `The backup target "${target}" cannot be used: ${why}.`,
    hint: 'Correct "backup.targets" in ralphd.yml, the variable or file that it refers to, or the flags that name the place.',
  }),
  backupTargetFailed: (target: string, why: string) => ({
    code: 'BACKUP_TARGET_FAILED',
    exitCode: exitCodes.failed,
    message: `The backup target "${target}" failed: ${why}.`,
    hint: 'Try again once the target can be reached: "ralphd backup push" continues where it stopped.',
  }),
  noBackupTargets: () => ({
    code: 'NO_BACKUP_TARGETS',
    exitCode: exitCodes.usage,
    message: 'No backup targets are configured.',
    hint: 'Set "backup.targets" in ralphd.yml, or name a place with "--to" or "--from".',
  }),
  restoreOverLoop: (loopId: string, folder: string, which: string) => ({
    code: 'RESTORE_OVER_LOOP',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} exists in ${folder}, and ${which}. Nothing was changed.`,
    hint: `Continue it with "ralphd resume ${loopId}", or set it aside and restore the backup with "--force".`,
  }),
} as const satisfies FailureFamily;
