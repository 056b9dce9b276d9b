import * as z from 'zod';
import {
  describeType,
  type FactDefinition,
  factCatalogue,
  fields,
  type JsonSchema,
} from '../../../src/protocol/index.ts';
import { code, page, plain, table } from '../markdown.ts';

/** Every fact of the journal, which is also every event of a loop. */
export function eventsPage(): string {
  return page(
    '# Events',
    'A loop’s journal holds one of these facts per line, and `ralphd run --json` prints most of them as they are recorded. Each is durable before anything acts on it. Around the data below stand `v`, `seq`, `at`, `epoch`, `type` and `crc`.',
    Object.entries(factCatalogue).map(([type, entry]) => section(type, entry)),
  );
}

function section(type: string, entry: FactDefinition): string {
  const alias = entry.event === undefined ? '' : ` Known to loop runners as ${entry.event}.`;
  const heading = `## ${code(type)}\n\n${plain(entry.summary)}${alias}`;
  const rows = fields(z.toJSONSchema(entry.data, { unrepresentable: 'any' }) as JsonSchema).map((field) => [
    code(field.name),
    code(describeType(field.schema)),
    field.required ? '' : 'optional',
    plain(field.schema.description ?? ''),
  ]);
  return rows.length === 0 ? heading : `${heading}\n\n${table(['Data', 'Type', '', 'Meaning'], rows)}`;
}
