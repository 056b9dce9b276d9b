export { packFingerprint, unpackFingerprint } from './baseline.ts';
export { type Changes, changesBetween } from './changes.ts';
export { digestOf } from './digest.ts';
export { type Fingerprint, type FingerprintOptions, takeFingerprint } from './fingerprint.ts';
export { isFolder } from './folder.ts';
export { recentCommits } from './git-log.ts';
export { resolveIncludes } from './prompt/includes.ts';
export { findPromptFile, nameOf, readPromptFile } from './prompt/prompt-file.ts';
