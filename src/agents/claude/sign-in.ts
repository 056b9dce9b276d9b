import { asObject } from '../_shared/json.ts';
import { keyIn, ownFolder, readJson, type SignIn } from '../_shared/sign-in.ts';

/** Claude Code prefers a cloud, then a key, then the account of its own sign-in. */
export function claudeSignIn(env: NodeJS.ProcessEnv): SignIn | undefined {
  return (
    keyIn(env, ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'], 'cloud account') ??
    keyIn(env, ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'], 'API key') ??
    keyIn(env, ['CLAUDE_CODE_OAUTH_TOKEN'], 'subscription') ??
    ownAccount(env)
  );
}

function ownAccount(env: NodeJS.ProcessEnv): SignIn | undefined {
  const folder = ownFolder(env, 'CLAUDE_CONFIG_DIR', '.claude');
  const found = readJson(folder, '.credentials.json');
  if (found === undefined) return undefined;
  return { pays: asObject(found.json['claudeAiOauth']) === undefined ? 'unknown' : 'subscription', from: found.file };
}
