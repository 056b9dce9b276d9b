import { expect } from 'vitest';

/** Matches an error by the permanent code of its failure. */
export function code(wanted: string): unknown {
  return expect.objectContaining({ failure: expect.objectContaining({ code: wanted }) });
}
