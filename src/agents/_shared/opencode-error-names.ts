import type { AgentOutcome } from '../../protocol/index.ts';

/** OpenCode's own names for what went wrong: the same on its event stream and over the Agent Client Protocol. */
export const openCodeErrorNames = {
  ProviderAuthError: 'auth',
  ContextOverflowError: 'context_overflow',
  MessageOutputLengthError: 'output_limit',
  ContentFilterError: 'refused',
  MessageAbortedError: 'interrupted',
  ProviderModelNotFoundError: 'configuration',
  ProviderInitError: 'configuration',
} as const satisfies Readonly<Record<string, AgentOutcome>>;
