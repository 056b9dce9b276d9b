import { limitSettings } from '../limits.ts';

/** The default folders. */
export const defaultPlaces = { workingDir: '.', stateDir: '.ralph' } as const;

/** The top-level keys of a configuration. */
export const topSettings: ReadonlySet<string> = new Set([
  ...limitSettings,
  ...`agent agentArgs agentCommand agents allowBrokenBaseline ask attended audit autoTest backup baseline budgetPolicy checkpointInterval completionPromise
  contextRedlinePercent env envAllow exclusive executionMode guard history hooks iteration iterationDelay land loopId mode model modeSchedule network notify onLimit onProviderLimit permissions
  persistence progress promiseMatch prompt promptPath protect resources sandbox sandboxPaths schedule seed session setup stateDir stopConditions testEvery trustPromise vars verify
  verifyIn verifyShare verifyTimeout workingDir worktree worktreeDir worktreeSetup`.split(/\s+/),
]);
