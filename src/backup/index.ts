export { isRecipient, type Keys, parseIdentities, type Sealing } from './age.ts';
export { type ArchiveNote, looksLikeArchive, readArchive, writeArchive } from './archive.ts';
export { type CommandSettings, createCommandTarget } from './command-target.ts';
export {
  fetchBackup,
  loopsIn,
  newestManifest,
  type Reading,
  readManifest,
  type Verification,
  verifyBackups,
} from './fetch.ts';
export { createFolderTarget, folderProblem } from './folder-target.ts';
export { leadsFrom } from './journal-parts.ts';
export { backupName, type Manifest } from './manifest.ts';
export { encodeProgress, type LastBackup, type Progress, type ProgressByTarget, parseProgress } from './progress.ts';
export { type LoopSource, pushBackup } from './push.ts';
export { type Retention, removeOldBackups, sweepAbandoned } from './retention.ts';
export { credentialsIn, parseCredentialsFile } from './s3/credentials.ts';
export { createS3Target, type S3Settings } from './s3/s3-target.ts';
export type { Credentials } from './s3/sign.ts';
export type { BackupTarget } from './target.ts';
export { createTargetQueue, hasDiverged, type TargetQueue } from './target-queue.ts';
export { partBytesFor, throttle } from './throttle.ts';
