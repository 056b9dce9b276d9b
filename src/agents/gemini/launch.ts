import type { AgentLaunch, LaunchRequest } from '../_shared/adapter.ts';

const approvalModes = { ask: 'default', edit: 'auto_edit', full: 'yolo' } as const;

/** Gemini CLI without a terminal: events as JSON lines, the prompt on standard input. */
export function launchGemini({ config, program, session, sessionId }: LaunchRequest): AgentLaunch {
  return {
    command: [
      program,
      // Without a terminal the user cannot confirm that the folder is trusted; starting a loop in it does.
      '--skip-trust',
      '--output-format',
      'stream-json',
      '--approval-mode',
      approvalModes[config.permissions],
      ...(config.model === undefined ? [] : ['--model', config.model]),
      ...(session === 'continue' && sessionId !== undefined ? ['--resume', sessionId] : []),
      ...config.agentArgs,
    ],
    env: {
      // It starts itself a second time, and the first process does not forward signals.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Its own sandbox is a container, which it could not start inside ours.
      ...(config.sandbox === 'off' ? {} : { GEMINI_SANDBOX: 'false' }),
    },
    secrets: ['GEMINI_*', 'GOOGLE_*'],
  };
}
