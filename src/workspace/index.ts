export { type Changes, changesBetween } from './changes.ts';
export { type DiffTrees, type FileDiff, type Patch, readDiffStat, readPatch } from './diffs/diff-reader.ts';
export { createDiffStore, type DiffStore } from './diffs/diff-store.ts';
export type { DiffPlace } from './diffs/repository.ts';
export { excludeFromCommits } from './exclude.ts';
export { commitOf, digestOf, type Fingerprint, takeFingerprint } from './fingerprint.ts';
export { isFolder, pathExists, realFolder } from './folder.ts';
export { generatedRules, isMadeByTool, versionControlFolders } from './generated.ts';
export { type EncloseRead, encloseGit, git, gitSucceeds } from './git.ts';
export { gitFoldersOf } from './git-folder.ts';
export { currentCommit, recentCommits } from './git-log.ts';
export { type GitOrigin, originOf } from './git-origin.ts';
export { findGitPlace, isInRepository } from './git-place.ts';
export { gitPathSetting } from './git-setting.ts';
export { type IgnoreRules, isIgnored, parseIgnoreRules } from './ignore-rules.ts';
export { inspectFile, type PlainFile } from './inspect-file.ts';
export { createPathMatcher, malformedPattern } from './path-matcher.ts';
export { resolveIncludes } from './prompt/includes.ts';
export { assertPromptSize, findPromptFile, nameOf, readPromptFile } from './prompt/prompt-file.ts';
export { join as joinRaw, type RawPath, toBytes, toRaw, toText } from './raw-path.ts';
export { type RollbackResult, rollBack } from './roll-back.ts';
export { readLinkedText, readSmallFile, readSmallText } from './small-file.ts';
export { packFingerprint, unpackFingerprint } from './stored-fingerprint.ts';
export { shownAddress } from './travel/address.ts';
export { commitCapture, type FetchedWork, fetchWork, setBranch } from './travel/fetch-work.ts';
export { refsOf } from './travel/refs.ts';
export { openTravel, type Travel } from './travel/travel.ts';
export { isReadError, LockedByGit, Unreadable } from './unreadable.ts';
export {
  addWorktree,
  branchTip,
  deleteBranch,
  gitFolderOf,
  isContained,
  removeWorktree,
} from './worktree.ts';
export { hasWorktree, listWorktrees, uncommittedFiles } from './worktree-list.ts';
export {
  addScratch,
  commitAll,
  type MergeMethod,
  type MergeResult,
  mergeInScratch,
} from './worktree-merge.ts';
export { filesInTheWay, moveBranch } from './worktree-move.ts';
export { type GitOperation, operationUnderWay } from './worktree-operation.ts';
export { currentBranch, findWorktreeSource, type WorktreeSource } from './worktree-source.ts';
