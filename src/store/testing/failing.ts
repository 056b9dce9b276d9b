import { expect } from 'vitest';

/** Matches an error by the permanent code of its failure. */
export function code(wanted: string): unknown {
  const failure: unknown = expect.objectContaining({ code: wanted });
  const error: unknown = expect.objectContaining({ failure });
  return error;
}
