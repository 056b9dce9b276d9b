export type {
  AgentAdapter,
  AgentLaunch,
  AgentOutput,
  AgentReport,
  AgentReports,
  LaunchRequest,
} from './_shared/adapter.ts';
export { commandAgent } from './command/adapter.ts';
export { createDemoAgent } from './demo/adapter.ts';
