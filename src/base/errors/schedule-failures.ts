import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can be wrong with the times at which a loop is to start again. */
export const scheduleFailures = {
  scheduleMalformed: (text: string, why: string) => ({
    code: 'SCHEDULE_MALFORMED',
    exitCode: exitCodes.usage,
    message: `"${text}" is no schedule: ${why}.`,
    hint: 'Give an interval such as "6h", a word such as "@daily", or five fields such as "30 2 * * mon-fri".',
  }),
  scheduleZone: (zone: string) => ({
    code: 'SCHEDULE_ZONE',
    exitCode: exitCodes.usage,
    message: `"${zone}" is no time zone that is known here.`,
    hint: 'Use a name such as "Europe/Berlin" or "UTC".',
  }),
} as const satisfies FailureFamily;
