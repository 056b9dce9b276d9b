import * as z from 'zod';
import { parseSecretReference } from '../notifications.ts';
import { choice, command, count, duration, group, list, text, toggle } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const recipientForm = /^age1[02-9ac-hj-np-z]{58}$/;
const bucketForm = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;
const reference = 'a reference to a secret: "env:NAME" or "file:PATH"';
const maxTargets = 10;

/** What a backup target can be, and the setting that says where it is. */
const backupTargetPlaces = { folder: 'path', s3: 'bucket', command: 'run' } as const;

const secretReference = () => text().refine((given) => parseSecretReference(given) !== undefined, { error: reference });

const recipients = () =>
  list(
    z
      .string({ error: 'a public key of age, such as "age1…"' })
      .regex(recipientForm, { error: 'a public key of age, such as "age1…"' }),
  );

/** One place outside the machine that gets backups. */
export const backupTargetSchema = group({
  type: choice(['folder', 's3', 'command']).describe('What the target is.'),
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, dots, dashes and underscores' })
    .optional()
    .describe('Name of the target in messages; its type by default.'),
  path: text()
    .optional()
    .describe('For folder: an existing folder outside the working directory, such as that of a network drive.'),
  bucket: text().regex(bucketForm, { error: 'the name of a bucket' }).optional().describe('For s3: the bucket.'),
  prefix: text()
    .regex(/^(?!\/)(?!.*\/\/)(?!(?:.*\/)?\.{1,2}(?:\/|$)).*[^/]$/, { error: 'a prefix without slashes at its ends' })
    .optional()
    .describe('For s3: what the names of all objects begin with, such as "team/ralphd".'),
  endpoint: text()
    .refine(isPlainUrl, { error: 'an http or https URL without user, password, query and fragment' })
    .optional()
    .describe('For s3: the URL of the server; that of AWS by default.'),
  region: text()
    .regex(/^[A-Za-z0-9-]+$/, { error: 'the name of a region, such as "eu-central-1"' })
    .optional()
    .describe('For s3: the region; by default AWS_REGION, or "us-east-1".'),
  pathStyle: toggle()
    .optional()
    .describe('For s3: whether the bucket is part of the path instead of the host; by default if "endpoint" is set.'),
  accessKeyId: secretReference().optional().describe('For s3: the access key, as "env:NAME" or "file:PATH".'),
  secretAccessKey: secretReference().optional().describe('For s3: the secret key, as "env:NAME" or "file:PATH".'),
  sessionToken: secretReference().optional().describe('For s3: the session token, as "env:NAME" or "file:PATH".'),
  profile: text()
    .optional()
    .describe(
      "For s3: profile in AWS's credentials file; without keys and profile, AWS's own variables are read first.",
    ),
  run: command()
    .optional()
    .describe('For command: stores the new files of a backup; it gets their list as a JSON object on stdin.'),
  maxBytesPerSecond: count(1024, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Maximum bandwidth, in bytes per second; unlimited by default.'),
  timeout: duration({ min: 1, max: 3_600_000 })
    .prefault('1m')
    .describe('Maximum time for one request, or for one run of the command.'),
}).superRefine((target, context) => {
  const problem = problemOf(target);
  if (problem === undefined) return;
  const [field, message] = problem;
  context.addIssue({ code: 'custom', message, path: [field], input: target });
});

/** Backups outside the state folder. */
export const backupSchema = group({
  targets: list(backupTargetSchema)
    .max(maxTargets, { error: `a list of at most ${maxTargets} targets` })
    .refine(haveUniqueNames, { error: 'a list of targets with unique names; give targets of the same type a "name"' })
    .default([])
    .describe('Where the loop is backed up to after each checkpoint and at its end.'),
  recipients: recipients()
    .max(20, { error: 'a list of at most 20 keys' })
    .default([])
    .describe('Public keys of age for which backups are encrypted; without them, targets get clear text.'),
  keep: count(1, 1_000_000).default(20).describe('Number of backups of a loop that a target keeps at least.'),
  keepDays: count(0, 36_500).default(7).describe('Backups that are younger than this many days are kept too.'),
  grace: duration({ max: 600_000 })
    .prefault('10s')
    .describe('How long a run that is over waits for backups under way.'),
});

interface GivenTarget {
  readonly type: keyof typeof backupTargetPlaces;
  readonly [field: string]: unknown;
}

const s3Fields = [
  'bucket',
  'prefix',
  'endpoint',
  'region',
  'pathStyle',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'profile',
];
const fields: Readonly<Record<GivenTarget['type'], readonly string[]>> = {
  folder: ['path'],
  s3: s3Fields,
  command: ['run'],
};

/** What is wrong with a target: the field and what it must be. */
function problemOf(target: GivenTarget): readonly [string, string] | undefined {
  const { type } = target;
  const foreign = Object.values(fields)
    .flat()
    .find((field) => target[field] !== undefined && !fields[type].includes(field));
  if (foreign !== undefined) return [foreign, `left out for a target of the type ${type}`];
  const place = backupTargetPlaces[type];
  if (target[place] === undefined) return [place, `set for a target of the type ${type}`];
  const hasKey = target['accessKeyId'] !== undefined;
  if (hasKey !== (target['secretAccessKey'] !== undefined)) {
    return [hasKey ? 'secretAccessKey' : 'accessKeyId', 'set if the other half of the key is'];
  }
  return undefined;
}

function isPlainUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password, search, hash } = new URL(given);
  return ['http:', 'https:'].includes(protocol) && `${username}${password}${search}${hash}` === '';
}

/** The name of a target in messages: its own, or its type. */
export function backupTargetName({
  name,
  type,
}: {
  readonly name?: string | undefined;
  readonly type: string;
}): string {
  return name ?? type;
}

function haveUniqueNames(targets: readonly { readonly name?: string | undefined; readonly type: string }[]): boolean {
  return new Set(targets.map(backupTargetName)).size === targets.length;
}
