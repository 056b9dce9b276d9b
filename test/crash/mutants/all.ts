import { askingMutants } from './asking.ts';
import { codingMutants } from './coding.ts';
import { guardingMutants } from './guarding.ts';
import type { Mutant } from './mutant.ts';

/** All planted bugs. */
export const mutants: readonly Mutant[] = [...askingMutants, ...codingMutants, ...guardingMutants];
