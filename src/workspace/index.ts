export { type Changes, changesBetween } from './changes.ts';
export { type Fingerprint, type FingerprintOptions, takeFingerprint } from './fingerprint.ts';
export { isFolder } from './folder.ts';
export { findPromptFile, readPromptFile } from './prompt-file.ts';
