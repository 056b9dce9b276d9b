import type * as z from 'zod';
import { backupTargetSchema } from '../../../src/protocol/config/backup.ts';
import { conditionSchema, leafSchema } from '../../../src/protocol/config/conditions.ts';
import { hookSchema } from '../../../src/protocol/config/hooks.ts';
import { channelSchema } from '../../../src/protocol/config/notify.ts';
import { metricSchema } from '../../../src/protocol/config/progress.ts';
import { configSchema } from '../../../src/protocol/config/schema.ts';
import { commentText, declarationText, type Names, type Side } from './schema-text.ts';
import { sourceText } from './source-text.ts';
import { importOfWords, nameOfWords } from './words.ts';

interface Named {
  readonly schema: z.core.$ZodType;
  readonly name: string;
  /** What the value is, in the program. */
  readonly what: string;
}

const groups = ['iteration', 'stopConditions', 'progress', 'session', 'history', 'persistence', 'backup'] as const;

const named: readonly Named[] = [
  { schema: configSchema, name: 'LoopConfig', what: 'Every setting of a loop' },
  ...groups.map((key) => {
    const schema = configSchema.shape[key];
    return { schema: schema.def.innerType, name: groupName(key), what: (schema.description ?? '').replace(/\.$/, '') };
  }),
  {
    schema: hookSchema,
    name: 'HookConfig',
    what: 'One hook: a user’s command or web address that is run or called at certain points of a loop',
  },
  { schema: channelSchema, name: 'ChannelConfig', what: 'One channel for notifications' },
  { schema: backupTargetSchema, name: 'BackupTargetConfig', what: 'One place outside the machine that gets backups' },
  { schema: metricSchema, name: 'MetricConfig', what: 'One custom metric that counts as progress' },
  { schema: leafSchema, name: 'LeafCondition', what: 'A condition without nested conditions' },
];

const names: Names = {
  nameOf: (schema, side) => {
    const name = schema === conditionSchema ? 'Condition' : named.find((each) => each.schema === schema)?.name;
    return name === undefined ? undefined : sideName(name, side);
  },
  nameOfWords,
};

/** The types of a configuration as the program uses it, or as written. */
export async function configTypes(side: Side, file: string): Promise<string> {
  const declared = named.map(({ schema, name, what }) => {
    const described = { schema, name: sideName(name, side), what: `${what}, ${forms[side]}.` };
    return declarationText(described, side, names);
  });
  const text = [...declared, conditionText(side)].join('\n\n');
  return await sourceText(importOfWords(text, '../words.ts') + text, file);
}

const forms = {
  output: 'as the program uses it: defaults filled in, durations in milliseconds',
  input: 'as written: settings with a default are optional, durations are texts such as `1h 30m`',
};

// Written by hand: TypeScript cannot follow a schema that contains itself.
function conditionText(side: Side): string {
  const name = sideName('Condition', side);
  return `${commentText(`One condition, as ${side === 'output' ? 'the program uses it' : 'it is written'}.`)}export type ${name} =
  | ${sideName('LeafCondition', side)}
  | { readonly type: 'all' | 'any'; readonly conditions: readonly ${name}[] }
  | { readonly type: 'not'; readonly condition: ${name} };`;
}

function sideName(name: string, side: Side): string {
  return side === 'output' ? name : `${name}Input`;
}

function groupName(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}Config`;
}
