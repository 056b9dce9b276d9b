import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with a loop's state on disk. */
export const storeFailures = {
  loopNotFound: (loopId: string, root: string) => ({
    code: 'LOOP_NOT_FOUND',
    exitCode: exitCodes.usage,
    message: `There is no loop ${loopId} in ${root}.`,
    hint: 'List the loops with "ralphd ls", or name another place with --state-dir.',
  }),
  loopExists: (loopId: string, folder: string) => ({
    code: 'LOOP_EXISTS',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot be created: ${folder} is already in use. Nothing there was changed.`,
    hint: `Continue it with "ralphd resume ${loopId}", or start a new loop without --loop-id.`,
  }),
  loopLocked: (loopId: string, holder?: { readonly pid: number; readonly host: string }) => ({
    code: 'LOOP_LOCKED',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} is already being driven by ${holder ? `process ${holder.pid} on ${holder.host}` : 'another process'}.`,
    hint: `Follow it with "ralphd watch ${loopId}", or end it with "ralphd stop ${loopId}".`,
  }),
  ownershipLost: (loopId: string, lockFile: string) => ({
    code: 'OWNERSHIP_LOST',
    exitCode: exitCodes.locked,
    message: `This process no longer owns loop ${loopId}: ${lockFile} was removed or replaced while it was held. What was acknowledged before is safe.`,
    hint: `See who drives the loop now with "ralphd status ${loopId}"; if nobody does, run "ralphd resume ${loopId}".`,
  }),
  stateNewerVersion: (path: string, expected: string, found: string) => ({
    code: 'STATE_NEWER_VERSION',
    exitCode: exitCodes.configuration,
    message: `${path} was written by a newer ralphd: this one reads format ${expected}, the file says ${found}. It was left untouched.`,
    hint: 'Update ralphd, then run the same command again.',
  }),
  stateUnrecoverable: (loopId: string, findings: readonly string[]) => ({
    code: 'STATE_UNRECOVERABLE',
    exitCode: exitCodes.needsPerson,
    message: `The state of loop ${loopId} cannot be rebuilt: ${findings.join('; ')}. Everything was left where it is.`,
    hint: 'Put a copy of the named files back from a backup, or start a new loop for the task.',
  }),
  stateUnreadable: (path: string, why: string) => ({
    code: 'STATE_UNREADABLE',
    exitCode: exitCodes.needsPerson,
    message: `${path} cannot be read: ${why}.`,
    hint: 'Check that the file is there, that it is yours and that its disk is healthy, then try again.',
  }),
  stateWriteFailed: (path: string, why: string) => ({
    code: 'STATE_WRITE_FAILED',
    exitCode: exitCodes.needsPerson,
    message: `${path} cannot be written: ${why}. What was acknowledged before is safe.`,
    hint: 'Check the permissions and the health of the disk, then continue with "ralphd resume".',
  }),
  stateTampered: (path: string, what: string) => ({
    code: 'STATE_TAMPERED',
    exitCode: exitCodes.needsPerson,
    message: `${path} was ${what} by another program while the loop was running. Nothing more was written.`,
    hint: 'Find out what touches the state folder, then continue with "ralphd resume".',
  }),
  diskFull: (path: string) => ({
    code: 'DISK_FULL',
    exitCode: exitCodes.needsPerson,
    message: `The disk that holds ${path} is full (or a quota is used up). What was acknowledged before is safe.`,
    hint: 'Free some space, then continue with "ralphd resume".',
    retry: 'backoff',
  }),
  unsafePath: (path: string, what: string) => ({
    code: 'UNSAFE_PATH',
    exitCode: exitCodes.configuration,
    message: `${path} is ${what}, and ralphd keeps its state only in plain files and folders of its own. Nothing was written through it.`,
    hint: 'Move it away, or name the real folder with --state-dir.',
  }),
  noStateToBackup: (loopId: string, path: string) => ({
    code: 'NO_STATE_TO_BACKUP',
    exitCode: exitCodes.failed,
    message: `Loop ${loopId} has nothing to back up yet: there is no ${path}.`,
    hint: `If the loop has run, rebuild its state with "ralphd recover ${loopId}", then try again.`,
  }),
  backupFailed: (path: string, why: string) => ({
    code: 'BACKUP_FAILED',
    exitCode: exitCodes.failed,
    message: `${path} was not backed up, because it cannot be trusted: ${why}.`,
    hint: 'Rebuild it with "ralphd recover", then try again.',
  }),
  noBackup: (loopId: string, folder: string) => ({
    code: 'NO_BACKUP',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} has no checkpoint or backup in ${folder} that can be used.`,
    hint: 'Name a file of your own with "--from FILE", or rebuild the state from its journal with "ralphd recover".',
  }),
  restoreRefused: (loopId: string, path: string, why: string) => ({
    code: 'RESTORE_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} was not restored from ${path}: ${why}. Nothing was changed.`,
    hint: 'Choose another file with "--from", or let ralphd choose with "--from latest".',
  }),
  restoreOfEnded: (loopId: string, status: string) => ({
    code: 'RESTORE_OF_ENDED_LOOP',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is ${status}, and that never changes, so it was not restored.`,
    hint: 'Start a new loop with "ralphd run"; the work it did is in your working directory.',
  }),
  folderTaken: (folder: string, loops: readonly string[]) => ({
    code: 'FOLDER_TAKEN',
    exitCode: exitCodes.locked,
    message: `Another loop has ${folder} for itself, or would have to share it: ${loops.join(', ')}.`,
    hint: 'Let it finish or end it, work in another git worktree, or share the folder with "--force".',
  }),
  tooManyLoops: (limit: number, loops: readonly string[]) => ({
    code: 'TOO_MANY_LOOPS',
    exitCode: exitCodes.usage,
    message: `${loops.length} loops are live here, and ${limit} is the limit: ${loops.join(', ')}.`,
    hint: 'End one with "ralphd abort ID", or start another all the same with "--force".',
  }),
  registryBusy: (path: string) => ({
    code: 'REGISTRY_BUSY',
    exitCode: exitCodes.locked,
    message: `Another process keeps ${path} locked.`,
    hint: 'Try again; it is held for moments only, unless that process is frozen.',
    retry: 'backoff' as const,
  }),
  foreignState: (path: string, what: string) => ({
    code: 'FOREIGN_STATE',
    exitCode: exitCodes.configuration,
    message: `${path} belongs to another program: ${what}. It was left untouched.`,
    hint: 'Keep the loops of ralphd elsewhere, for example with "--state-dir .ralphd".',
  }),
  factTooLarge: (type: string, why: string) => ({
    code: 'FACT_TOO_LARGE',
    exitCode: exitCodes.failed,
    message: `A fact of type ${type} was not recorded: ${why}.`,
    hint: 'Keep bulky data in a file of the iteration and record where it is.',
  }),
} as const satisfies FailureFamily;
