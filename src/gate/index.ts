export { readCandidate } from './candidate/candidate.ts';
export { findTop, namesFromGit } from './candidate/git-files.ts';
export type { ProtectedBase } from './clean/base.ts';
export { assertCleanPossible, renewBase, withBase } from './clean/save-base.ts';
export { changedGuards, retakeGuards } from './guards/guards.ts';
export { guardPlace } from './guards/plan-guards.ts';
export { type GatePlan, planGate } from './plan.ts';
export { createGate } from './run-gate.ts';
export { gateMarkerOf } from './setting.ts';
