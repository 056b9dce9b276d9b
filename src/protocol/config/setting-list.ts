import * as z from 'zod';
import { configSchema } from './schema.ts';

/** How a setting is written as plain text, as in an environment variable. */
export type SettingForm = 'text' | 'number' | 'toggle' | 'command' | 'list' | 'map';

/** One setting: its path in the configuration (`iteration.timeout`) and how it is written. */
export interface ConfigSetting {
  readonly path: string;
  readonly form: SettingForm;
}

/** All settings, in the order of the schema. */
export function listSettings(): readonly ConfigSetting[] {
  return (all ??= settingsUnder(configSchema, ''));
}

let all: readonly ConfigSetting[] | undefined;

function settingsUnder(schema: z.core.$ZodType, path: string): readonly ConfigSetting[] {
  const bare = unwrap(schema);
  if (!(bare instanceof z.ZodObject)) return [{ path, form: formOf(bare) }];
  const entries = Object.entries<z.core.$ZodType>(bare.shape);
  return entries.flatMap(([key, child]) => settingsUnder(child, path === '' ? key : `${path}.${key}`));
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? unwrap(schema.unwrap()) : schema;
}

function isToggle(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodBoolean;
}

function formOf(schema: z.core.$ZodType): SettingForm {
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'toggle';
  if (schema instanceof z.ZodUnion) return schema.options.some(isToggle) ? 'toggle' : 'command';
  if (schema instanceof z.ZodArray) return 'list';
  if (schema instanceof z.ZodRecord) return 'map';
  return 'text';
}
