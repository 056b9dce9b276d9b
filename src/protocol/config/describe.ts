import { describeType, fields, type JsonSchema } from '../json-schema.ts';
import { settingExamples } from './examples.ts';
import { configJsonSchema } from './json-schema.ts';

/** A setting or a group of settings, for people. */
export interface SettingDescription {
  /** Such as `iteration.timeout`, or `hooks[].run` for a field of each item of a list. */
  readonly path: string;
  /** The values that it takes, with their range. */
  readonly type: string;
  readonly isGroup: boolean;
  readonly meaning: string;
  /** As written in a file; missing if the setting has no default. */
  readonly default?: unknown;
  /** An example as written in a file; fields of list items have none. */
  readonly example?: unknown;
}

/** Every setting, in the order of the schema; a group comes before its settings. */
export function describeSettings(): readonly SettingDescription[] {
  return fields(configJsonSchema()).map(({ name, schema }) => describe(name, schema));
}

function describe(path: string, schema: JsonSchema): SettingDescription {
  const isGroup = schema.properties !== undefined;
  const example = isGroup || path.includes('[]') ? undefined : (settingExamples[path] ?? exampleOf(schema));
  return {
    path,
    type: namedType(schema) ?? describeType(schema),
    isGroup,
    meaning: schema.description ?? '',
    ...(schema.default === undefined || isGroup ? {} : { default: schema.default }),
    ...(example === undefined ? {} : { example }),
  };
}

/** A text with a form of its own. */
function namedType({ type, examples = [] }: JsonSchema): 'duration' | 'size' | undefined {
  if (type !== 'string') return undefined;
  return examples.includes('5s') ? 'duration' : examples.includes('4GiB') ? 'size' : undefined;
}

/** A value other than the default if there are few values, otherwise the default itself. */
function exampleOf({ enum: words, type, default: value }: JsonSchema): unknown {
  if (words !== undefined) return words.find((word) => word !== value);
  return type === 'boolean' ? value !== true : value;
}
