export type { AgentPlaces } from './places.ts';
export { type Enclosed, type Outcome, openSandbox, type Sandbox, type SandboxSetting } from './sandbox.ts';
