import type { Project } from './project.ts';
import type { Random } from './random.ts';

/** What a scenario works with. */
export interface Stage {
  readonly random: Random;
  readonly signal: AbortSignal;
  /** A new project; each name is used once. */
  project(name: string): Project;
}

/** Something that is done to ralphd, and what must hold in spite of it. */
export interface Scenario {
  readonly name: string;
  readonly action: string;
  readonly promise: string;
  /** Throws a `Finding` where the promise does not hold; returns a remark if there is one. */
  readonly play: (stage: Stage) => Promise<string | void>;
}
