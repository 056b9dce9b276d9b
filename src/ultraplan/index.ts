export { DEFAULT_COMPLETION_PROMISE, DEFAULT_MAX_ITERATIONS } from './constants.ts';
export { COMPLETION_TAG_PATTERN, detectCompletion, escapeRegex, findPromise } from './detection.ts';
export { buildContinuationPrompt, isSystemDirective, SYSTEM_DIRECTIVE_PREFIX } from './directive.ts';
export type { UltraplanOptions } from './folder.ts';
export {
  continueRalphLoop,
  endRalphLoop,
  isRalphLoopActive,
  type RalphLoopConfig,
  type RalphLoopStep,
  startRalphLoop,
} from './lifecycle.ts';
export {
  type ActiveMode,
  canStartMode,
  endMode,
  getActiveModes,
  type Mode,
  type ModePermission,
  startMode,
} from './modes.ts';
export {
  clearRalphLoopState,
  incrementIteration,
  type RalphLoopState,
  readRalphLoopState,
  writeRalphLoopState,
} from './state.ts';
