/** Iterations a loop may take if its configuration does not say. */
export const DEFAULT_MAX_ITERATIONS = 100;

/** What an agent writes between promise tags if the configuration does not say. */
export const DEFAULT_COMPLETION_PROMISE = 'DONE';
