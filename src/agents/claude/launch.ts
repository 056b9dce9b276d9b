import { failures, LoopError } from '../../base/index.ts';
import type { AgentLaunch, LaunchRequest } from '../_shared/adapter.ts';

/** Claude Code without a terminal: events as JSON lines, the prompt on standard input. */
export function launchClaude(request: LaunchRequest): AgentLaunch {
  const { config, program, session, sessionId } = request;
  const isEnclosed = config.sandbox !== 'off';
  return {
    command: [
      program,
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...permissionFlags(request),
      ...(config.model === undefined ? [] : ['--model', config.model]),
      ...(session === 'continue' && sessionId !== undefined ? ['--resume', sessionId] : []),
      ...(isEnclosed && request.isRoot ? withoutOwnSandbox : []),
      ...config.agentArgs,
    ],
    env: {
      ...(isEnclosed ? { IS_SANDBOX: '1' } : {}),
      DISABLE_AUTOUPDATER: '1',
      // A task in the background keeps the process alive after its answer and wakes it for another paid turn.
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    },
    secrets: ['ANTHROPIC_*', 'CLAUDE_CODE_*', 'CLAUDE_CONFIG_DIR', 'IS_SANDBOX', ...cloudSecrets(request.env)],
  };
}

/** In the namespaces of root, its own sandbox cannot start, and then its commands fail one by one. */
const withoutOwnSandbox = ['--settings', JSON.stringify({ sandbox: { enabled: false } })];

function permissionFlags({ config, env, isRoot }: LaunchRequest): readonly string[] {
  switch (config.permissions) {
    case 'ask':
      return ['--permission-mode', 'default'];
    case 'edit':
      return ['--permission-mode', 'acceptEdits'];
    case 'full':
      // It refuses this to root, unless it runs in a sandbox or the user vouches for one.
      if (isRoot && config.sandbox === 'off' && env['IS_SANDBOX'] !== '1')
        throw new LoopError(failures.agentRefusesRoot('claude', 'IS_SANDBOX=1'));
      return ['--dangerously-skip-permissions'];
  }
}

/** Its models may come from a cloud, with that cloud's keys. */
function cloudSecrets(env: NodeJS.ProcessEnv): readonly string[] {
  return env['CLAUDE_CODE_USE_BEDROCK'] === undefined ? [] : ['AWS_*'];
}
