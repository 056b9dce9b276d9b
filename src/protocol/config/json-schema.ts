import * as z from 'zod';
import { configSchema } from './schema.ts';

/** The JSON Schema (draft 2020-12) of a configuration file, for editors and other validators. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' });
  return { $schema, title: 'ralphd configuration', ...schema };
}
