import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with a loop in the format of ultraplan. */
export const ultraplanFailures = {
  ralphLoopActive: (file: string) => ({
    code: 'RALPH_LOOP_ACTIVE',
    exitCode: exitCodes.locked,
    message: `A Ralph loop is already active in ${file}. It was left as it is.`,
    hint: 'Continue it with continueRalphLoop(), or end it with endRalphLoop() first.',
  }),
  modeActive: (mode: string, blockedBy: string) => ({
    code: 'MODE_ACTIVE',
    exitCode: exitCodes.locked,
    message: `The mode "${mode}" cannot start while the mode "${blockedBy}" is active. Nothing was changed.`,
    hint: `Wait until it has ended, or end it with endMode('${blockedBy}').`,
  }),
  ultraplanStateInvalid: (file: string, why: string) => ({
    code: 'ULTRAPLAN_STATE_INVALID',
    exitCode: exitCodes.needsPerson,
    message: `${file} is not the state of ultraplan: ${why}. It was left untouched.`,
    hint: 'Correct the file, or move it away.',
  }),
  ralphLoopInvalid: (field: string, why: string) => ({
    code: 'RALPH_LOOP_INVALID',
    exitCode: exitCodes.usage,
    message: `A Ralph loop cannot have this "${field}": ${why}. Nothing was written.`,
    hint: `Correct "${field}".`,
  }),
} as const satisfies FailureFamily;
