import type { FaultPlan } from '../disk/faults.ts';
import type { Subject } from '../oracle/subject.ts';

/** A promise that was broken while the scenario still ran. */
export class Broken extends Error {}

/** How a scenario is played. */
export interface Play {
  readonly subject: Subject;
  readonly segmentBytes?: number | undefined;
  /** Whose process it is. */
  readonly pid?: number;
  /** The number of its first fact. */
  readonly firstFact?: number;
  /** How long facts are when a step does not say. */
  readonly noteBytes?: number;
  /** Faults from outside; the scenario's own come first. */
  readonly plan?: FaultPlan;
}
