import { provenanceOf } from './config/execution-mode.ts';
import type { LoopConfig } from './config/loop-config.ts';

/**
 * The variables that ralphd adds to the environment of everything it starts, and their meaning. None of
 * them is a setting: a ralphd started by an agent, a check or a hook is configured like any other.
 */
export const childVariables = {
  RALPHD_LOOP_ID: 'Id of the loop.',
  RALPHD_LOOP_STATE_DIR: 'Folder with the state of all loops, as an absolute path.',
  RALPHD_LOOP_AGENT: 'Agent of the loop.',
  RALPHD_ITERATION: 'Number of the iteration; absent in the baseline.',
  RALPHD_ATTEMPT_NUMBER: 'Number of the attempt at the iteration; absent in the baseline.',
  RALPHD_ATTEMPT:
    'Marks every process of an attempt, so that none is left behind; do not change it. A loop within a loop has several marks.',
  RALPHD_EXECUTION_MODE: 'How reproducible the run is to be; only in agents, and not in the default mode.',
  RALPHD_TEMPERATURE: 'Temperature for the model; only in agents, in the modes "seeded" and "strict".',
  RALPHD_SEED: 'Seed for the model; only in agents, in the modes "seeded" and "strict".',
  RALPHD_HOOK: 'Name of the hook; only in hooks.',
  RALPHD_HOOK_POINT: 'Point at which the hook runs; only in hooks.',
  RALPHD_NOTIFY_TRIGGER: 'What the notification is about; only in commands of notification channels.',
  RALPHD_NOTIFY_PRIORITY: 'Priority of the notification; only in commands of notification channels.',
  RALPHD_NOTIFY_TITLE: 'Title of the notification; only in commands of notification channels.',
  RALPHD_NOTIFY_TEXT: 'Text of the notification; only in commands of notification channels.',
  RALPHD_CONDITION: 'Path of the condition in the settings; only in scripts of conditions.',
} as const;

/** The name of a variable that ralphd adds to the environment of what it starts. */
export type ChildVariable = keyof typeof childVariables;

/** The variables with which a user gives ralphd the key of encrypted loops. Nothing that ralphd starts gets them. */
const keyVariables: readonly string[] = ['RALPHD_KEY', 'RALPHD_KEY_FILE'];

/** The environment for what a loop starts. Of an outer loop only the marks are kept, so that it finds its processes. */
export function loopEnvironment(
  env: Environment,
  loop: { readonly id: string; readonly stateDir: string; readonly agent: string },
): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => name === 'RALPHD_ATTEMPT' || (!Object.hasOwn(childVariables, name) && !keyVariables.includes(name)),
  );
  const variables: Variables = {
    RALPHD_LOOP_ID: loop.id,
    RALPHD_LOOP_STATE_DIR: loop.stateDir,
    RALPHD_LOOP_AGENT: loop.agent,
  };
  return { ...Object.fromEntries(kept), ...variables };
}

type Environment = Readonly<Record<string, string | undefined>>;
type Variables = Partial<Record<ChildVariable, string>>;

/** The variables of one attempt; none outside an attempt. */
export function attemptVariables({
  iteration,
  attempt,
}: {
  readonly iteration?: number | undefined;
  readonly attempt?: number | undefined;
}): Variables {
  return {
    ...(iteration === undefined ? {} : { RALPHD_ITERATION: String(iteration) }),
    ...(attempt === undefined ? {} : { RALPHD_ATTEMPT_NUMBER: String(attempt) }),
  };
}

/** The variables with which an agent learns how reproducible its run is to be. */
export function provenanceVariables(config: LoopConfig): Variables {
  const { mode, temperature, seed } = { ...provenanceOf(config) };
  return {
    ...(mode === undefined ? {} : { RALPHD_EXECUTION_MODE: mode }),
    ...(temperature === undefined ? {} : { RALPHD_TEMPERATURE: String(temperature) }),
    ...(seed === undefined ? {} : { RALPHD_SEED: String(seed) }),
  };
}
