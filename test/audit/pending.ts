import type { Pending } from './planted-bug.ts';

/** Requirements that are not built yet. One that gets its test and its bug has to leave this list. */
export const pending: readonly Pending[] = [];
