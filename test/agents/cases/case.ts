import type { ModelServer } from '../model-server/server.ts';
import type { Program } from '../programs/program.ts';
import { createTrial, type Plan, type Trial } from '../trial.ts';

/** What a case works with. */
export interface Stage {
  readonly program: Program;
  prepare(plan: Plan): Trial;
}

/** A behaviour that must hold for every agent. */
export interface Case {
  /** Its row in the table of results. */
  readonly row: string;
  /** The requirements it proves. */
  readonly shows: string;
  /** Why the case does not apply to an agent; undefined if it does. */
  readonly exempt?: (program: Program) => string | undefined;
  /** Rejects on failure; otherwise resolves to a short summary of what was observed. */
  play(stage: Stage): Promise<string>;
}

export function stageFor(program: Program, server: ModelServer): Stage {
  return { program, prepare: (plan) => createTrial(program, server, plan) };
}
