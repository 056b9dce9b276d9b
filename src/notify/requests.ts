import { createHmac } from 'node:crypto';
import { headText } from '../base/index.ts';
import type { Message } from '../core/index.ts';
import type { NotifyPriority } from '../protocol/index.ts';
import type { Post } from './post.ts';

/** A message for any receiver: JSON, signed if there is a key. */
export function webhookPost(url: string, message: Message, key: string | undefined): Post {
  return { url, body: payloadOf(message), headers: signedHeaders(message.id, key) };
}

/**
 * Headers that identify a delivery, the same each time it is repeated, and with a key its signature. That covers the time,
 * against replays.
 */
export function signedHeaders(id: string, key: string | undefined): NonNullable<Post['headers']> {
  return (body) => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const identity = { 'x-ralphd-delivery': id, 'x-ralphd-timestamp': timestamp };
    if (key === undefined) return identity;
    const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
    return { ...identity, 'x-ralphd-signature': `sha256=${signature}` };
  };
}

/** The message as data, for webhooks and commands. */
export function payloadOf(message: Message): Readonly<Record<string, unknown>> {
  return { version: 1, ...message };
}

const ntfyPriorities: Readonly<Record<NotifyPriority, number>> = { low: 2, normal: 3, high: 4, critical: 5 };
const ntfySilent = 1;
/** A longer message would become an attachment, which servers may refuse. */
const maxNtfyBytes = 4_096;

/** ntfy as JSON: a title in a header could hold no text beyond ASCII. The last part of the URL is the topic. */
export function ntfyPost(url: string, { title, text, priority, isSilent }: Message, token: string | undefined): Post {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  return {
    url: [origin, ...parts.slice(0, -1)].join('/'),
    body: {
      topic: decodeURIComponent(parts.at(-1) ?? ''),
      title,
      message: headBytes(text, maxNtfyBytes),
      priority: isSilent ? ntfySilent : ntfyPriorities[priority],
    },
    ...(token === undefined ? {} : { headers: () => ({ authorization: `Bearer ${token}` }) }),
  };
}

/** The beginning of a text, in whole characters, up to a number of bytes. */
function headBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let end = 0;
  let bytes = Buffer.byteLength('…');
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Slack's incoming webhooks. Only these three characters are special there. */
export function slackPost(url: string, { title, text }: Message): Post {
  const escape = (part: string) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { url, body: { text: `*${escape(title)}*\n${escape(text)}` } };
}

const maxDiscordLength = 2_000;
const discordSilent = 1 << 12;

/** Discord's webhooks: a text from an agent must not mention everybody. */
export function discordPost(url: string, { title, text, isSilent }: Message): Post {
  return {
    url,
    body: {
      content: headText(`**${title}**\n${text}`, maxDiscordLength),
      allowed_mentions: { parse: [] },
      ...(isSilent ? { flags: discordSilent } : {}),
    },
  };
}
