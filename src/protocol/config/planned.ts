import type { LoopConfig } from './loop-config.ts';

/** A setting that is part of the contract and not implemented yet. */
export interface PlannedSetting {
  /** Its path in the configuration. */
  readonly path: string;
  /** Its name at the start of a sentence. */
  readonly name: string;
  /** Whether a configuration uses it. */
  readonly isWanted: (config: LoopConfig) => boolean;
}

/** Every setting that is refused, never ignored, until it works; pages and help leave it out. */
export const plannedSettings: readonly PlannedSetting[] = [
  {
    path: 'persistence.encrypt',
    name: 'Encryption of the state ("persistence.encrypt")',
    isWanted: ({ persistence }) => persistence.encrypt,
  },
];
