import { createRedactor } from '../base/index.ts';
import type { HookConfig } from '../protocol/index.ts';
import { postOnce } from './post.ts';
import { signedHeaders } from './requests.ts';
import { channelProblem, channelSecrets, resolveSetting, type SecretPlace } from './secrets.ts';

/** What a hook posts. */
export interface WebhookCall {
  /** Identifies the call; the same when it is repeated. */
  readonly id: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** The answer of a web address, or why there is none. */
export type WebhookAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Posts JSON to an address and returns its answer. Never throws. */
export type Webhook = (call: WebhookCall) => Promise<WebhookAnswer>;

/** An answer is read like the output of a command, of which only this much could be a reply. */
const maxAnswerBytes = 256 * 1024;

/** The web address of a hook. What it refers to is read once: a file in the work tree may be changed by the agent. */
export function createWebhook({ url, secret }: Pick<HookConfig, 'url' | 'secret'>, place: SecretPlace): Webhook {
  const problem = channelProblem({ ...(url && { url }), ...(secret && { secret }) }, place);
  if (problem !== undefined) return async () => ({ ok: false, why: problem });
  const valueOf = (setting = '') => {
    const resolved = resolveSetting(setting, place);
    return resolved.ok ? resolved.value : '';
  };
  const [address, key] = [valueOf(url), secret && valueOf(secret)];
  const { redact } = createRedactor(channelSecrets([{ ...(url && { url }), ...(secret && { secret }) }], place));
  return async ({ id, body, signal }) => {
    const attempt = await postOnce({ url: address, body, headers: signedHeaders(id, key) }, signal, maxAnswerBytes);
    return attempt.ok ? { ok: true, text: attempt.answer ?? '' } : { ok: false, why: redact(attempt.why) };
  };
}
