import { type AgentHome, homeIn, hostsIn } from '../_shared/home.ts';

const keeps = ['settings.json', 'trustedFolders.json', 'GEMINI.md', 'commands', 'extensions', 'policies', '.env'];

/** Gemini CLI's settings can name hooks and servers, which would run outside of a sandbox in the next session. */
export function geminiHome(env: NodeJS.ProcessEnv): AgentHome {
  const usual = [
    'generativelanguage.googleapis.com',
    'cloudcode-pa.googleapis.com',
    'aiplatform.googleapis.com',
    'oauth2.googleapis.com',
    'accounts.google.com',
  ];
  return {
    ...homeIn(env, { inHome: '.gemini', keeps }),
    hosts: hostsIn(env, ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'CODE_ASSIST_ENDPOINT'], usual),
  };
}
