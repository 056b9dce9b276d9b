// Without schemas, so that commands that only read loops need not load them.

/** What a notification can be about. */
export const notifyTriggers = [
  'started',
  'completed',
  'failed',
  'limit',
  'paused',
  'resumed',
  'iteration',
  'tests_passing',
  'tests_failing',
  'no_progress',
  'reboot',
  'error',
  'recovered',
  'mode_switch',
  'milestone',
  'attention',
] as const;
/** One trigger. */
export type NotifyTrigger = (typeof notifyTriggers)[number];

/** How urgent a notification is, least urgent first. */
export const notifyPriorities = ['low', 'normal', 'high', 'critical'] as const;
/** One priority. */
export type NotifyPriority = (typeof notifyPriorities)[number];

/** Where notifications can be sent. */
export const channelTypes = ['command', 'webhook', 'ntfy', 'slack', 'discord', 'desktop', 'log'] as const;
/** One type of channel. */
export type ChannelType = (typeof channelTypes)[number];

/** The field that says where a channel of a type sends, if it needs one. */
export const channelTargets = {
  command: 'run',
  webhook: 'url',
  ntfy: 'url',
  slack: 'url',
  discord: 'url',
  desktop: undefined,
  log: 'path',
} as const satisfies Readonly<Record<ChannelType, string | undefined>>;

/** A channel as a flag gives it: `desktop`, `log:FILE` or `slack:env:NAME`. The schema refuses what is wrong with it. */
export function channelFromText(text: string): Readonly<Record<string, string>> {
  const colon = text.indexOf(':');
  const [type, target] = colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
  if (target === undefined) return { type };
  const field = channelTypes.includes(type as ChannelType) ? channelTargets[type as ChannelType] : undefined;
  return { type, [field ?? 'url']: target };
}

/** What the title and the text of a channel can contain as `{{name}}`. */
export const templateFields = [
  'loopId',
  'status',
  'iteration',
  'task',
  'workingDirectory',
  'trigger',
  'triggers',
  'priority',
  'title',
  'text',
  'at',
] as const;
/** One of them. */
export type TemplateField = (typeof templateFields)[number];

/** The first placeholder of a template that means nothing, as it is written; undefined if there is none. */
export function unknownPlaceholder(template: string): string | undefined {
  return [...template.matchAll(placeholder)].find(([, name]) => !isField(name ?? ''))?.[0];
}

/** Replaces the placeholders of a template in one pass: what is inserted is never read as a template. */
export function fillTemplate(template: string, values: Readonly<Record<TemplateField, string>>): string {
  return template.replace(placeholder, (whole, name: string) => (isField(name) ? values[name] : whole));
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

function isField(name: string): name is TemplateField {
  return templateFields.some((field) => field === name);
}

/** The name of a channel in messages: its own, or its type. */
export function channelName({
  name,
  type,
}: {
  readonly name?: string | undefined;
  readonly type: ChannelType;
}): string {
  return name ?? type;
}

/** A secret that a setting refers to: the name of a variable, or the path of a file. */
export type SecretReference =
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string };

/** Reads `env:NAME` or `file:PATH`; undefined for any other text. */
export function parseSecretReference(text: string): SecretReference | undefined {
  const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1];
  if (name !== undefined) return { kind: 'env', name };
  const path = /^file:(.*\S.*)$/.exec(text)?.[1];
  return path === undefined ? undefined : { kind: 'file', path };
}
