import * as z from 'zod';
import { configSchema } from './schema.ts';

/** The JSON Schema (draft 2020-12) of a configuration file, for editors and other validators. */
export function configJsonSchema(): z.core.JSONSchema.BaseSchema {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' });
  return { $schema, title: 'ralphd configuration', ...schema } as z.core.JSONSchema.BaseSchema;
}
