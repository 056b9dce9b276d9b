export { formatDuration, parseDuration, roughDuration, wholeSeconds } from './duration.ts';
export { exitCodes } from './errors/exit-codes.ts';
export { failures } from './errors/failures.ts';
export { type Failure, LoopError, type Retry } from './errors/loop-error.ts';
export {
  alignUuid,
  createLoopId,
  isLoopId,
  type LoopIdMatch,
  type LoopNames,
  loopNameOf,
  loopUuidForm,
  resolveLoopId,
  slugLoopId,
} from './loop-id.ts';
export { createRedactor, type RedactedStream, type Redactor } from './redact.ts';
export { isSecretName, secretsIn } from './redact-known.ts';
export type { Secret } from './redact-scan.ts';
export { createScrubber, type Scrubber, scrub } from './scrub.ts';
export { sha256 } from './sha256.ts';
export { formatSize, parseSize, roughSize } from './size.ts';
export { nearest } from './suggest.ts';
export { boundText, byText, escapeMarkdown, headText, shellWord, shortCount, tailText } from './text.ts';
export { visible } from './visible.ts';
export { columnsOf, keepEnd, keepStart, keepWords, oneLine, padAfter, padBefore } from './width.ts';
