export type {
  AgentAdapter,
  AgentLaunch,
  AgentReports,
  AgentSetup,
  LaunchRequest,
  TriedVersions,
} from './_shared/adapter.ts';
export type { AgentEvent } from './_shared/event.ts';
export type { AgentHome } from './_shared/home.ts';
export { type AgentReader, type AgentReading, type AgentUse, createReader } from './_shared/reader.ts';
export type { SignIn } from './_shared/sign-in.ts';
export { endsWithProviderError, readSessionStop } from './_shared/stop-hook.ts';
export { createTranscript, type TranscriptEntry } from './_shared/transcript.ts';
export { isTried, versionIn } from './_shared/version.ts';
export { createAcpDialect } from './acp/dialect.ts';
export { createCopilotDialect } from './copilot/dialect.ts';
export { createDemoAgent } from './demo/adapter.ts';
export { agentNamed, streamingAgents } from './registry.ts';
