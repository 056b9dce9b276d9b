/**
 * Ralph loops of ultraplan: its state file, its modes and its continuation prompt.
 *
 * @packageDocumentation
 */

export { exitCodes, type Failure, LoopError, type Retry } from './base/index.ts';
export {
  type ActiveMode,
  buildContinuationPrompt,
  COMPLETION_TAG_PATTERN,
  canStartMode,
  clearRalphLoopState,
  continueRalphLoop,
  DEFAULT_COMPLETION_PROMISE,
  DEFAULT_MAX_ITERATIONS,
  detectCompletion,
  endMode,
  endRalphLoop,
  escapeRegex,
  findPromise,
  getActiveModes,
  incrementIteration,
  isRalphLoopActive,
  isSystemDirective,
  type Mode,
  type ModePermission,
  type RalphLoopConfig,
  type RalphLoopState,
  type RalphLoopStep,
  readRalphLoopState,
  SYSTEM_DIRECTIVE_PREFIX,
  startMode,
  startRalphLoop,
  type UltraplanOptions,
  writeRalphLoopState,
} from './ultraplan/index.ts';
