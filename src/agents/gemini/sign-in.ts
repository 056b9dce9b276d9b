import { keyIn, ownFolder, readJson, type SignIn } from '../_shared/sign-in.ts';

/** Gemini CLI uses a key, a cloud, or the account of its own sign-in. */
export function geminiSignIn(env: NodeJS.ProcessEnv): SignIn | undefined {
  return (
    keyIn(env, ['GOOGLE_GENAI_USE_VERTEXAI'], 'cloud account') ??
    keyIn(env, ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], 'API key') ??
    ownAccount(env)
  );
}

function ownAccount(env: NodeJS.ProcessEnv): SignIn | undefined {
  const found = readJson(ownFolder(env, undefined, '.gemini'), 'oauth_creds.json');
  return found === undefined ? undefined : { pays: 'subscription', from: found.file };
}
