import { type AgentHome, homeIn, hostsIn } from '../_shared/home.ts';

const keeps = ['config.toml', 'hooks.json', 'AGENTS.md', 'AGENTS.override.md', 'prompts', 'rules'];

/** Codex's settings can name hooks and servers, which would run outside of a sandbox in the next session. */
export function codexHome(env: NodeJS.ProcessEnv): AgentHome {
  const usual = ['api.openai.com', 'chatgpt.com', 'auth.openai.com'];
  return {
    ...homeIn(env, { variable: 'CODEX_HOME', inHome: '.codex', keeps, creates: ['skills', 'packages'] }),
    hosts: hostsIn(env, ['OPENAI_BASE_URL', 'AZURE_OPENAI_ENDPOINT'], usual),
  };
}
