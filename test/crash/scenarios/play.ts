import type { FaultPlan } from '../disk/faults.ts';
import type { Subject } from '../oracle/subject.ts';

/** A guarantee broken while the scenario was still running. */
export class Broken extends Error {}

/** How to play a scenario. */
export interface Play {
  readonly subject: Subject;
  readonly segmentBytes?: number | undefined;
  /** The id of the process that runs it. */
  readonly pid?: number;
  /** The number of its first fact. */
  readonly firstFact?: number;
  /** The default length of facts. */
  readonly noteBytes?: number;
  /** Faults from outside; the scenario's own faults take precedence. */
  readonly plan?: FaultPlan;
}
