import path from 'node:path';
import { type AgentHome, homeIn, hostsIn } from '../_shared/home.ts';

const keeps = ['settings.json', 'settings.local.json', 'CLAUDE.md', 'agents', 'commands', 'hooks', 'skills'];

/** Claude Code's settings can name hooks, which would run outside of a sandbox in the next session. */
export function claudeHome(env: NodeJS.ProcessEnv): AgentHome {
  const own = homeIn(env, { variable: 'CLAUDE_CONFIG_DIR', inHome: '.claude', keeps, creates: ['plugins', 'local'] });
  const beside = env['CLAUDE_CONFIG_DIR'] === undefined && env['HOME'] ? [path.join(env['HOME'], '.claude.json')] : [];
  return {
    ...own,
    writes: [...own.writes, ...beside],
    hosts: hostsIn(
      env,
      ['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL'],
      ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai', ...cloudHosts(env)],
    ),
  };
}

function cloudHosts(env: NodeJS.ProcessEnv): readonly string[] {
  return [
    ...(env['CLAUDE_CODE_USE_BEDROCK'] === undefined ? [] : ['*.amazonaws.com']),
    ...(env['CLAUDE_CODE_USE_VERTEX'] === undefined ? [] : ['*.googleapis.com']),
  ];
}
