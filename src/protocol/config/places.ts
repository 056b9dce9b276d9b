/** Where loops are, unless a setting says otherwise. */
export const defaultPlaces = { workingDir: '.', stateDir: '.ralph' } as const;

/** The names that a configuration may begin a line with: the settings and groups at its top. */
export const topSettings: ReadonlySet<string> = new Set(
  `agent agentArgs agentCommand agents allowBrokenBaseline attended autoTest baseline budgetPolicy checkpointInterval completionPromise
  contextRedlinePercent env exclusive executionMode guard history hooks iteration iterationDelay loopId maxCostUsd
  maxIterations maxOutputTokens maxTime maxTokens maxToolCalls model onLimit onProviderLimit permissions
  persistence progress promiseMatch prompt promptPath protect session setup stateDir stopConditions trustPromise vars verify
  verifyIn verifyShare verifyTimeout workingDir`.split(/\s+/),
);
