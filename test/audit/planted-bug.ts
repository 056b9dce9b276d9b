import type { Planting } from '../support/plant-in.ts';

/** A bug that breaks one requirement. The tests that name the requirement in one test file have to notice it. */
export interface PlantedBug extends Planting {
  readonly requirement: string;
  /** Below `src`. */
  readonly file: string;
  /** The tests read the file as text instead of loading it. */
  readonly asText?: true;
  /** The file with the cheapest tests that name the requirement. */
  readonly test: string;
}

/** A requirement that is not built yet, and what it waits for. */
export interface Pending {
  readonly requirement: string;
  readonly waitsFor: string;
}
