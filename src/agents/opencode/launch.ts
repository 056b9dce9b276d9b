import type { LoopConfig } from '../../protocol/index.ts';
import type { AgentLaunch, LaunchRequest } from '../_shared/adapter.ts';

/** OpenCode without a terminal: events as JSON lines, the prompt on standard input. */
export function launchOpencode({ config, program, session, sessionId }: LaunchRequest): AgentLaunch {
  return {
    command: [
      program,
      'run',
      '--format',
      'json',
      // Saves the request that would generate a title.
      '--title',
      'ralphd',
      // Only its log reports retries.
      '--print-logs',
      '--log-level',
      'ERROR',
      ...(config.permissions === 'full' ? ['--auto'] : []),
      ...(config.model === undefined ? [] : ['--model', config.model]),
      ...(session === 'continue' && sessionId !== undefined ? ['--session', sessionId] : []),
      ...config.agentArgs,
    ],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', ...permissionSettings(config) },
    secrets: ['OPENCODE_*', ...providerKeys],
  };
}

/** It allows everything by default; without a user to answer, it refuses what it would otherwise ask for. */
function permissionSettings({ permissions }: LoopConfig): Readonly<Record<string, string>> {
  switch (permissions) {
    case 'ask':
      return { OPENCODE_PERMISSION: JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask' }) };
    case 'edit':
      return { OPENCODE_PERMISSION: JSON.stringify({ edit: 'allow', bash: 'ask', webfetch: 'ask' }) };
    case 'full':
      return {};
  }
}

/** It works with any provider, each with its own key. */
const providerKeys = [
  'OPENCODE_*',
  'ANTHROPIC_*',
  'OPENAI_*',
  'GEMINI_*',
  'GOOGLE_*',
  'OPENROUTER_*',
  'GROQ_*',
  'MISTRAL_*',
  'DEEPSEEK_*',
  'XAI_*',
  'AZURE_*',
  'AWS_*',
];
