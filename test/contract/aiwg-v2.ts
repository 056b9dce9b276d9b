import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const text = readFileSync(path.join(import.meta.dirname, 'aiwg-v2.schema.json'), 'utf8');

/**
 * How to interpret the schema: some validators support its `nullable`, a strict 2020-12 validator ignores the keyword.
 */
export type Reading = 'pure' | 'nullable';

const validators = { pure: compile('pure'), nullable: compile('nullable') };

/** The AIWG v2 schema violations in a document; empty if it is valid. */
export function problemsOf(document: unknown, reading: Reading): readonly string[] {
  const validate = validators[reading];
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message ?? ''}`);
}

function compile(reading: Reading) {
  const schema = JSON.parse(text, (key, value: unknown) =>
    reading === 'pure' && key === 'nullable' ? undefined : value,
  ) as Record<string, unknown>;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv.compile(schema);
}
