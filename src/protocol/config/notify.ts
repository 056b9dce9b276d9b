import * as z from 'zod';
import {
  type ChannelType,
  channelName,
  channelTargets,
  channelTypes,
  notifyPriorities,
  notifyTriggers,
  parseSecretReference,
  templateFields,
  unknownPlaceholder,
} from '../notifications.ts';
import { address, reference, secretReference } from './address.ts';
import { isTimeZone, type MinuteRange, parseHours } from './schedule.ts';
import { choice, command, count, duration, group, list, text } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const quiet = 'hours such as "22:00-07:00" that leave some time of the day';
const maxDeliveryMs = 60_000;
const maxChannels = 20;
const placeholders = `a text in which ${templateFields.map((field) => `{{${field}}}`).join(', ')} are replaced, and no others`;

const template = () => text().refine((given) => unknownPlaceholder(given) === undefined, { error: placeholders });

/** One channel: where notifications go, which of them, and how many. */
export const channelSchema = group({
  type: choice(channelTypes).describe('How notifications are sent.'),
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, dots, dashes and underscores' })
    .optional()
    .describe('Name of the channel in messages and in the history; its type by default.'),
  on: list(choice(notifyTriggers))
    .min(1, { error: 'a list of at least one trigger' })
    .optional()
    .describe('Which notifications are sent; all by default.'),
  minPriority: choice(notifyPriorities)
    .optional()
    .describe('Lowest priority that is sent; by default "normal", or "low" if "on" is set.'),
  url: address()
    .optional()
    .describe('For webhook, ntfy, slack and discord: where to post; slack and discord take "env:NAME" or "file:PATH".'),
  secret: secretReference().optional().describe('For webhook: key of the signature, as "env:NAME" or "file:PATH".'),
  token: secretReference().optional().describe('For ntfy: access token, as "env:NAME" or "file:PATH".'),
  run: command().optional().describe('For command: the command to run; it gets a JSON object on stdin.'),
  path: text().optional().describe('For log: the file to append to, relative to workingDir.'),
  title: template().optional().describe('Title of every message, such as "{{loopId}} is {{status}}".'),
  text: template().optional().describe('Text of every message, such as "{{task}}: {{text}}".'),
  timeout: duration({ min: 1, max: maxDeliveryMs })
    .prefault('10s')
    .describe('Maximum time for one delivery, including retries.'),
  minInterval: duration().prefault('1m').describe('Minimum time between two notifications about the same trigger.'),
  maxPerHour: count(1, 1000).default(20).describe('Maximum number of notifications in an hour.'),
  debounce: duration({ max: maxDeliveryMs })
    .prefault('5s')
    .describe('How long to wait for more to report, so that a burst becomes one notification.'),
  quietHours: text()
    .refine((hours) => leavesTime(parseHours(hours)), { error: quiet })
    .optional()
    .describe('Hours in which only critical notifications are sent, such as "22:00-07:00"; the rest follows in one.'),
  timeZone: text()
    .refine(isTimeZone, { error: 'the name of a time zone, such as "Europe/Berlin"' })
    .optional()
    .describe("Time zone of quietHours; the machine's own by default."),
}).superRefine((channel, context) => {
  const problem = problemOf(channel);
  if (problem === undefined) return;
  const [field, message] = problem;
  context.addIssue({ code: 'custom', message, path: [field], input: channel });
});

/** All channels of a loop. */
export const notifySchema = list(channelSchema)
  .max(maxChannels, { error: `a list of at most ${maxChannels} channels` })
  .refine(haveUniqueNames, { error: 'a list of channels with unique names; give channels of the same type a "name"' })
  .default([]);

interface GivenChannel {
  readonly type: ChannelType;
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly token?: string | undefined;
  readonly run?: unknown;
  readonly path?: string | undefined;
}

type Field = Exclude<keyof GivenChannel, 'type'>;

/** What is wrong with a channel: the field and what it must be. */
function problemOf(channel: GivenChannel): readonly [Field, string] | undefined {
  const { type, url } = channel;
  const target = channelTargets[type];
  const taken: readonly (Field | undefined)[] = [target, type === 'webhook' ? 'secret' : undefined, tokenOf(type)];
  const foreign = (['url', 'secret', 'token', 'run', 'path'] as const).find(
    (field) => channel[field] !== undefined && !taken.includes(field),
  );
  if (foreign !== undefined) return [foreign, `left out for a channel of the type ${type}`];
  if (target !== undefined && channel[target] === undefined) return [target, `set for a channel of the type ${type}`];
  const isSecretUrl = type === 'slack' || type === 'discord';
  if (isSecretUrl && url !== undefined && parseSecretReference(url) === undefined) return ['url', reference];
  return undefined;
}

function tokenOf(type: ChannelType): 'token' | undefined {
  return type === 'ntfy' ? 'token' : undefined;
}

function leavesTime(ranges: readonly MinuteRange[] | undefined): boolean {
  if (ranges === undefined) return false;
  const isQuiet = (minute: number) =>
    ranges.some(({ from, to }) => (from < to ? from <= minute && minute < to : minute >= from || minute < to));
  return Array.from({ length: 24 * 60 }, (_, minute) => minute).some((minute) => !isQuiet(minute));
}

function haveUniqueNames(channels: readonly { readonly name?: string | undefined; readonly type: ChannelType }[]) {
  return new Set(channels.map(channelName)).size === channels.length;
}
