import type { LoopConfig } from '../../protocol/index.ts';
import type { AgentLaunch, LaunchRequest } from '../_shared/adapter.ts';

/** Codex without a terminal: events as JSON lines, the prompt on standard input. */
export function launchCodex({ config, program, session, sessionId }: LaunchRequest): AgentLaunch {
  const resumes = session === 'continue' && sessionId !== undefined;
  return {
    command: [
      program,
      'exec',
      ...(resumes ? ['resume'] : []),
      '--json',
      // The loop decides whether to work in a folder without git.
      '--skip-git-repo-check',
      ...permissionFlags(config),
      ...(config.model === undefined ? [] : ['--model', config.model]),
      ...config.agentArgs,
      ...(resumes ? [sessionId] : []),
      '-',
    ],
    env: {},
    secrets: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  };
}

/** As settings, because a resumed session does not accept `--sandbox`. */
function permissionFlags({ permissions }: LoopConfig): readonly string[] {
  switch (permissions) {
    case 'ask':
      return ['-c', 'sandbox_mode="read-only"'];
    case 'edit':
      return ['-c', 'sandbox_mode="workspace-write"'];
    case 'full':
      return ['--dangerously-bypass-approvals-and-sandbox'];
  }
}
