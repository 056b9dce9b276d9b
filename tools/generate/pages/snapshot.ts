import * as z from 'zod';
import {
  describeType,
  fields,
  type JsonSchema,
  snapshotUpcasters,
  storedLoopSchema,
} from '../../../src/protocol/index.ts';
import { code, page, plain, table } from '../markdown.ts';

/** Everything that a snapshot keeps of a loop. */
export function snapshotPage(): string {
  const schema = z.toJSONSchema(storedLoopSchema, { unrepresentable: 'any', io: 'input' }) as JsonSchema;
  const rows = fields(schema).map(({ name, schema: type, required }) => [
    code(name),
    code(describeType(type)),
    required ? '' : 'optional',
    plain(type.description ?? ''),
  ]);
  return page(
    '# Snapshot',
    `\`state.json\` is a valid AIWG v2 document with one object of ours, \`ralphd\`. Its \`format\` is ${snapshotUpcasters.length + 1}: an older format is brought up to date when it is read, and a newer one is refused and left untouched. \`journal\` says where in the journal the snapshot stands, \`crc\` is a checksum over everything else, \`view\` is what readers show of the loop, made anew with each snapshot and of a version of its own, and \`loop\` is all of the loop, as below. The journal is the truth: a snapshot that is lost or damaged is made again from it.`,
    table(['Field of `ralphd.loop`', 'Type', '', 'Meaning'], rows),
  );
}
