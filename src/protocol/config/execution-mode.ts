import type { LoopConfig } from './loop-config.ts';

/** What an execution mode demands of the model. */
interface ModeDemand {
  /** The temperature that the agent is to use; undefined if it is free to choose, which needs no seed either. */
  readonly temperature?: number;
}

/** Every execution mode, from the most reproducible to the default, which demands nothing and records nothing more. */
const executionModes = {
  strict: { temperature: 0 },
  seeded: { temperature: 0.7 },
  logged: {},
  default: {},
} as const satisfies Readonly<Record<LoopConfig['executionMode'], ModeDemand>>;

/** How reproducibly an agent runs, as it is told to and as it is recorded. */
export interface Provenance {
  readonly mode: LoopConfig['executionMode'];
  readonly temperature?: number;
  readonly seed?: number;
}

/** What a loop demands of its runs and records about them; undefined in the default mode. */
export function provenanceOf({ executionMode: mode, seed }: LoopConfig): Provenance | undefined {
  if (mode === 'default') return undefined;
  const { temperature }: ModeDemand = executionModes[mode];
  return { mode, ...(temperature === undefined ? {} : { temperature }), ...(seed === undefined ? {} : { seed }) };
}

/** Whether a mode needs an agent that takes a temperature and a seed. */
export function needsSeed(mode: LoopConfig['executionMode']): boolean {
  const { temperature }: ModeDemand = executionModes[mode];
  return temperature !== undefined;
}
