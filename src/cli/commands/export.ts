import path from 'node:path';
import { exportFormats, exportLoop, isExportFormat, writeDocument } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd export`: prints a loop in another system's format. */
export async function exportCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const to = options['to'] ?? 'aiwg-v2';
  if (typeof to !== 'string' || !isExportFormat(to)) {
    throw new LoopError(failures.badValue('--to', `one of ${exportFormats.join(', ')}`, String(to)));
  }
  const place = await placeFor(invocation, surroundings);
  const document = exportLoop(place, args[0], { format: to, strict: options['strict'] === true });
  const printed = jsonLine(document, options['json'] === true ? 0 : 2);
  const { out } = options;
  if (typeof out !== 'string') {
    surroundings.stdout.write(printed);
    return exitCodes.completed;
  }
  writeDocument(path.resolve(surroundings.cwd, out), printed);
  surroundings.stdout.write(`Wrote ${out} (${to}).\n`);
  return exitCodes.completed;
}
