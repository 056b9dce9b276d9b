import { asObject, asText } from '../_shared/json.ts';
import { keyIn, ownFolder, readJson, type SignIn } from '../_shared/sign-in.ts';

/** Codex uses a key of its own, else what its sign-in stored. */
export function codexSignIn(env: NodeJS.ProcessEnv): SignIn | undefined {
  const key = keyIn(env, ['CODEX_API_KEY'], 'API key');
  const found = key === undefined ? readJson(ownFolder(env, 'CODEX_HOME', '.codex'), 'auth.json') : undefined;
  if (found === undefined) return key;
  if (asObject(found.json['tokens']) !== undefined) return { pays: 'subscription', from: found.file };
  return { pays: asText(found.json['OPENAI_API_KEY']) === undefined ? 'unknown' : 'API key', from: found.file };
}
