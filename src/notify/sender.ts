import { createRedactor } from '../base/index.ts';
import type { Message } from '../core/index.ts';
import type { ChannelConfig } from '../protocol/index.ts';
import type { Delivery, SenderPlace } from './delivery.ts';
import { appendToLog } from './log.ts';
import { type Post, post } from './post.ts';
import { runCommand, showOnDesktop } from './programs.ts';
import { discordPost, ntfyPost, slackPost, webhookPost } from './requests.ts';
import { channelProblem, channelSecrets, resolveSetting } from './secrets.ts';

/** Sends one message through a channel within its time limit. Never throws. */
export async function send(
  channel: ChannelConfig,
  message: Message,
  { place, signal }: { readonly place: SenderPlace; readonly signal: AbortSignal },
): Promise<Delivery> {
  const problem = channelProblem(channel, place);
  if (problem !== undefined) return { ok: false, why: problem };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(channel.timeout)]);
  const delivery = await sendSafely(channel, message, { place, signal: limit });
  if (delivery.ok) return delivery;
  return { ok: false, why: createRedactor(channelSecrets([channel], place)).redact(delivery.why) };
}

interface Sending {
  readonly place: SenderPlace;
  readonly signal: AbortSignal;
}

async function sendSafely(channel: ChannelConfig, message: Message, sending: Sending): Promise<Delivery> {
  try {
    return await sendBy(channel, message, sending);
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function sendBy(channel: ChannelConfig, message: Message, { place, signal }: Sending): Promise<Delivery> {
  const value = (setting = '') => {
    const resolved = resolveSetting(setting, place);
    return resolved.ok ? resolved.value : '';
  };
  const by = async (request: Post) => await post(request, signal, place.retryDelaysMs);
  switch (channel.type) {
    case 'command':
      return await runCommand(channel, message, { place, signal });
    case 'desktop':
      return await showOnDesktop(message, { place, signal });
    case 'log':
      return appendToLog(channel, message, place);
    case 'webhook':
      return await by(webhookPost(value(channel.url), message, channel.secret && value(channel.secret)));
    case 'ntfy':
      return await by(ntfyPost(value(channel.url), message, channel.token && value(channel.token)));
    case 'slack':
      return await by(slackPost(value(channel.url), message));
    case 'discord':
      return await by(discordPost(value(channel.url), message));
  }
}
