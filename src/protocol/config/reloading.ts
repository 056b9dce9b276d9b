import type { LoopConfig } from './loop-config.ts';

const identity = 'it identifies the loop and its place';
const evidence = 'what proves completion was fixed when the loop started';
const records = 'what is recorded about a loop was fixed when it started';

/** A setting that cannot change in an existing loop. */
export type FixedSetting =
  | 'workingDir'
  | 'stateDir'
  | 'loopId'
  | 'worktree'
  | 'worktreeDir'
  | 'persistence'
  | 'history'
  | 'executionMode'
  | 'seed'
  | 'verifyIn'
  | 'setup'
  | 'verifyShare'
  | 'protect'
  | 'guard'
  | 'baseline';

/** Which settings can change in an existing loop: `true`, or why not. */
const reloading: { readonly [Name in keyof LoopConfig]: Name extends FixedSetting ? string : true } = {
  workingDir: identity,
  stateDir: identity,
  loopId: identity,
  worktree: identity,
  worktreeDir: identity,
  worktreeSetup: true,
  land: true,
  persistence: records,
  history: records,
  executionMode: records,
  seed: records,
  checkpointInterval: true,
  verify: true,
  autoTest: true,
  verifyTimeout: true,
  testEvery: true,
  trustPromise: true,
  allowBrokenBaseline: true,
  verifyIn: evidence,
  setup: evidence,
  verifyShare: evidence,
  protect: evidence,
  guard: evidence,
  baseline: evidence,
  prompt: true,
  promptPath: true,
  vars: true,
  completionPromise: true,
  promiseMatch: true,
  maxIterations: true,
  maxTime: true,
  maxCostUsd: true,
  maxTokens: true,
  maxOutputTokens: true,
  maxToolCalls: true,
  maxFilesChanged: true,
  maxLinesChanged: true,
  maxReboots: true,
  resources: true,
  onLimit: true,
  budgetPolicy: true,
  onProviderLimit: true,
  schedule: true,
  stopConditions: true,
  progress: true,
  iterationDelay: true,
  iteration: true,
  hooks: true,
  notify: true,
  contextRedlinePercent: true,
  session: true,
  agent: true,
  agentCommand: true,
  agentArgs: true,
  agents: true,
  model: true,
  permissions: true,
  env: true,
  envAllow: true,
  sandbox: true,
  sandboxPaths: true,
  network: true,
  attended: true,
  mode: true,
  modeSchedule: true,
  audit: true,
  backup: true,
  ask: true,
  exclusive: true,
};

/** Why a setting, given by its path, cannot change in an existing loop; undefined if it can. */
export function whyFixed(path: string): string | undefined {
  const [top = ''] = path.split('.');
  const why = Object.entries(reloading).find(([name]) => name === top)?.[1];
  return why === true ? undefined : why;
}

/** Whether a setting identifies the loop or its place: a loop that continues another keeps these too. */
export function isIdentity(path: string): boolean {
  return whyFixed(path) === identity;
}
