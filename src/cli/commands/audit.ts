import { readAudit } from '../../app/index.ts';
import type { AuditEntry } from '../../core/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd audit`: who did what in a loop. */
export async function auditCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const entries = readAudit(place, invocation.args[0]);
  const { stdout } = surroundings;
  if (invocation.options['json'] === true) for (const entry of entries) stdout.write(jsonLine({ ...entry }));
  else printLines(stdout, entries.map(toLine));
  return 0;
}

function toLine({ at, actor, action, details }: AuditEntry): string {
  const parts = Object.entries(details).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text === '[]' ? [] : [`${name}: ${text}`];
  });
  return `  ${localInstant(Date.parse(at), Date.now())}  ${oneLine(actor, 60)}  ${action}  ${oneLine(parts.join(', '), 300)}`;
}
