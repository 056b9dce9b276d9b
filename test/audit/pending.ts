import { readNumbers } from '../../tools/requirements/numbers.ts';
import type { Pending } from './planted-bug.ts';

/** Requirements that are not built yet. One that gets its test and its bug has to leave this list. */
export const pending: readonly Pending[] = [...waiting('backups off the machine', 'A134')];

function waiting(waitsFor: string, requirements: string): readonly Pending[] {
  return readNumbers(requirements).map((requirement) => ({ requirement, waitsFor }));
}
