import type { ModelServer } from '../model-server/server.ts';
import type { Program } from '../programs/program.ts';
import { createTrial, type Plan, type Trial } from '../trial.ts';

/** What a case has to play with. */
export interface Stage {
  readonly program: Program;
  prepare(plan: Plan): Trial;
}

/** One thing that has to hold with every agent. */
export interface Case {
  /** Its row in the table of results. */
  readonly row: string;
  /** The requirements it shows. */
  readonly shows: string;
  /** Why it cannot be asked of an agent; undefined where it can. */
  readonly exempt?: (program: Program) => string | undefined;
  /** Fails, or says in a few words what was seen. */
  play(stage: Stage): Promise<string>;
}

/** A stage for one agent. */
export function stageFor(program: Program, server: ModelServer): Stage {
  return { program, prepare: (plan) => createTrial(program, server, plan) };
}
