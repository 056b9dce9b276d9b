import path from 'node:path';
import { type AgentHome, hostsIn } from '../_shared/home.ts';
import { ownFolder } from '../_shared/sign-in.ts';

const places = [
  ['XDG_DATA_HOME', '.local/share'],
  ['XDG_STATE_HOME', '.local/state'],
  ['XDG_CACHE_HOME', '.cache'],
] as const;
const keeps = ['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'plugin', 'plugins', 'command', 'agent'];

/** OpenCode's settings can name plugins, which would run outside of a sandbox in the next session. */
export function opencodeHome(env: NodeJS.ProcessEnv): AgentHome {
  const settings = ownFolder(env, 'XDG_CONFIG_HOME', '.config');
  const folders = places.flatMap(([variable, inHome]) => ownFolder(env, variable, inHome) ?? []);
  const own = settings === undefined ? { writes: [], keeps: [] } : inFolder(path.join(settings, 'opencode'));
  return {
    writes: [...own.writes, ...folders.map((folder) => path.join(folder, 'opencode'))],
    keeps: own.keeps,
    creates: [],
    // Which provider it uses is in its own settings.
    hosts: hostsIn(
      env,
      ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
      ['models.dev', 'opencode.ai', 'api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
    ),
  };
}

function inFolder(folder: string): Pick<AgentHome, 'writes' | 'keeps'> {
  return { writes: [folder], keeps: keeps.map((name) => path.join(folder, name)) };
}
