import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with a loop's state on disk. */
export const storeFailures = {
  loopNotFound: (loopId: string, root: string) => ({
    code: 'LOOP_NOT_FOUND',
    exitCode: exitCodes.usage,
    message: `There is no loop ${loopId} in ${root}.`,
    hint: 'List the loops with "ralphd ls", or use another state folder with "--state-dir".',
  }),
  loopFolderGone: (loopId: string) => ({
    code: 'LOOP_FOLDER_GONE',
    exitCode: exitCodes.needsPerson,
    message: `The folder of loop ${loopId} is gone, but your state folder still has a copy of its journal.`,
    hint: `Restore and continue it with "ralphd resume ${loopId}".`,
  }),
  loopExists: (loopId: string, folder: string) => ({
    code: 'LOOP_EXISTS',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot be created: ${folder} is already in use. Nothing there was changed.`,
    hint: `Resume it with "ralphd resume ${loopId}", or start a new loop without "--loop-id".`,
  }),
  loopLocked: (loopId: string, holder?: { readonly pid: number; readonly host: string }) => ({
    code: 'LOOP_LOCKED',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} is already being driven by ${holder ? `process ${holder.pid} on ${holder.host}` : 'another process'}.`,
    hint: `Watch it with "ralphd watch ${loopId}", or end it with "ralphd stop ${loopId}"; take it over from a frozen process with "ralphd resume ${loopId} --force".`,
  }),
  ownerUnknown: (loopId: string, owner: { readonly pid: number; readonly host: string; readonly since: string }) => ({
    code: 'LOOP_OWNER_UNKNOWN',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} has been driven by process ${owner.pid} on ${owner.host} since ${owner.since}; this machine cannot see whether that process still runs.`,
    hint: `Check on ${owner.host}. If the process is gone, take the loop over with "ralphd resume ${loopId} --force".`,
  }),
  ownerNotEnded: (loopId: string, owner: { readonly pid: number }) => ({
    code: 'OWNER_NOT_ENDED',
    exitCode: exitCodes.locked,
    message: `Process ${owner.pid}, which drives loop ${loopId}, could not be ended. The loop was not changed.`,
    hint: 'It may belong to another user, or hang in the kernel: end it yourself, then try again.',
  }),
  removalRefused: (loopId: string, status: string) => ({
    code: 'REMOVAL_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} has not ended: it is ${status} and can be resumed. Nothing was removed.`,
    hint: `End it with "ralphd abort ${loopId}" first, or remove it anyway with "ralphd rm ${loopId} --force".`,
  }),
  ownershipLost: (loopId: string, lockFile: string) => ({
    code: 'OWNERSHIP_LOST',
    exitCode: exitCodes.locked,
    message: `This process no longer owns loop ${loopId}: ${lockFile} was removed or replaced while it was held. Everything recorded before is safe.`,
    hint: `Check who runs the loop now with "ralphd status ${loopId}"; if nobody does, run "ralphd resume ${loopId}".`,
  }),
  stateNewerVersion: (path: string, expected: string, found: string) => ({
    code: 'STATE_NEWER_VERSION',
    exitCode: exitCodes.configuration,
    message: `${path} was written by a newer version of ralphd: this version reads format ${expected}, the file has ${found}. It was left untouched.`,
    hint: 'Update ralphd, then run the command again.',
  }),
  stateUnrecoverable: (loopId: string, findings: readonly string[]) => ({
    code: 'STATE_UNRECOVERABLE',
    exitCode: exitCodes.needsPerson,
    message: `The state of loop ${loopId} cannot be rebuilt: ${findings.join('; ')}. All files were left in place.`,
    hint: `Restore these files from your own backup, or start over with "ralphd run TASK --loop-id ${loopId} --discard-state", which sets them aside.`,
  }),
  stateUnreadable: (path: string, why: string) => ({
    code: 'STATE_UNREADABLE',
    exitCode: exitCodes.needsPerson,
    message: `${path} cannot be read: ${why}.`,
    hint: 'Check that the file exists, that you may read it and that the disk is healthy, then try again.',
  }),
  stateWriteFailed: (path: string, why: string) => ({
    code: 'STATE_WRITE_FAILED',
    exitCode: exitCodes.needsPerson,
    message: `${path} cannot be written: ${why}. Everything recorded before is safe.`,
    hint: 'Check permissions and disk health, then run "ralphd resume".',
  }),
  stateTampered: (path: string, what: string) => ({
    code: 'STATE_TAMPERED',
    exitCode: exitCodes.needsPerson,
    message: `${path} was ${what} by another program while the loop was running. Nothing more was written.`,
    hint: 'Find out which program modifies the state folder, then run "ralphd resume".',
  }),
  diskFull: (path: string) => ({
    code: 'DISK_FULL',
    exitCode: exitCodes.needsPerson,
    message: `The disk that holds ${path} is full, or a quota is used up. Everything recorded before is safe.`,
    hint: 'Free some space, then run "ralphd resume".',
    retry: 'backoff',
  }),
  stateDirNotWritable: (path: string, why: string) => ({
    code: 'STATE_DIR_NOT_WRITABLE',
    exitCode: exitCodes.configuration,
    message: `The state folder ${path} cannot be used: ${why}. Nothing was created.`,
    hint: 'Choose a folder that you can write to, for example "--state-dir ~/ralphd-loops", or make this one writable.',
  }),
  unsafePath: (path: string, what: string) => ({
    code: 'UNSAFE_PATH',
    exitCode: exitCodes.configuration,
    message: `${path} is ${what}; ralphd keeps its state only in regular files and folders that it created. Nothing was written there.`,
    hint: 'Move it away, or pass the real folder with "--state-dir".',
  }),
  noStateToBackup: (loopId: string, path: string) => ({
    code: 'NO_STATE_TO_BACKUP',
    exitCode: exitCodes.failed,
    message: `Loop ${loopId} has nothing to back up yet: ${path} does not exist.`,
    hint: `If the loop has run, rebuild its state with "ralphd recover ${loopId}", then try again.`,
  }),
  backupFailed: (path: string, why: string) => ({
    code: 'BACKUP_FAILED',
    exitCode: exitCodes.failed,
    message: `${path} was not backed up because it is damaged: ${why}.`,
    hint: 'Rebuild it with "ralphd recover", then try again.',
  }),
  noBackup: (loopId: string, folder: string) => ({
    code: 'NO_BACKUP',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} has no usable checkpoint or backup in ${folder}.`,
    hint: 'Restore your own file with "--from FILE", or rebuild the state from the journal with "ralphd recover".',
  }),
  restoreRefused: (loopId: string, path: string, why: string) => ({
    code: 'RESTORE_REFUSED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} was not restored from ${path}: ${why}. Nothing was changed.`,
    hint: 'Choose another file with "--from FILE", or the newest usable one with "--from latest".',
  }),
  restoreOfEnded: (loopId: string, status: string) => ({
    code: 'RESTORE_OF_ENDED_LOOP',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is ${status}, which is final; it was not restored.`,
    hint: 'Start a new loop with "ralphd run"; the work done so far is in your working directory.',
  }),
  folderTaken: (folder: string, loops: readonly string[]) => ({
    code: 'FOLDER_TAKEN',
    exitCode: exitCodes.locked,
    message: `${folder} is in use by another loop, and one of the loops requires exclusive use: ${loops.join(', ')}.`,
    hint: 'Wait for that loop or end it, use another git worktree, or share the folder with "--force".',
  }),
  tooManyLoops: (limit: number, loops: readonly string[]) => ({
    code: 'TOO_MANY_LOOPS',
    exitCode: exitCodes.usage,
    message: `${loops.length} loops already run here, and the limit is ${limit}: ${loops.join(', ')}. Paused loops do not count.`,
    hint: 'Pause one with "ralphd pause ID" or end one with "ralphd abort ID" (loops of AIWG: with its own tools), or start anyway with "--force".',
  }),
  registryBusy: (path: string) => ({
    code: 'REGISTRY_BUSY',
    exitCode: exitCodes.locked,
    message: `Another process holds the lock on ${path}.`,
    hint: 'Try again; the lock is held only briefly unless that process is frozen.',
    retry: 'backoff' as const,
  }),
  foreignState: (path: string, what: string) => ({
    code: 'FOREIGN_STATE',
    exitCode: exitCodes.configuration,
    message: `${path} belongs to another program: ${what}. It was left untouched.`,
    hint: 'Keep the loops elsewhere, for example with "--state-dir .ralphd".',
  }),
  factTooLarge: (type: string, why: string) => ({
    code: 'FACT_TOO_LARGE',
    exitCode: exitCodes.failed,
    message: `A fact of type ${type} was not recorded: ${why}.`,
    hint: 'Store large data in a file of the iteration and record its path.',
  }),
} as const satisfies FailureFamily;
