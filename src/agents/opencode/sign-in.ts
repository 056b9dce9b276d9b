import path from 'node:path';
import { asObject } from '../_shared/json.ts';
import { keyIn, ownFolder, readJson, type SignIn } from '../_shared/sign-in.ts';

/** OpenCode stores one sign-in for each provider; keys of providers in the environment work as well. */
export function opencodeSignIn(env: NodeJS.ProcessEnv): SignIn | undefined {
  const data = ownFolder(env, 'XDG_DATA_HOME', path.join('.local', 'share'));
  const found = readJson(data && path.join(data, 'opencode'), 'auth.json');
  const kinds = new Set(Object.values(found?.json ?? {}).map((each) => asObject(each)?.['type']));
  if (found !== undefined && kinds.size > 0) {
    const isOne = kinds.size === 1;
    return {
      pays: isOne && kinds.has('oauth') ? 'subscription' : isOne && kinds.has('api') ? 'API key' : 'unknown',
      from: found.file,
    };
  }
  return keyIn(
    env,
    ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    'API key',
  );
}
