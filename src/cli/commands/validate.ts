import path from 'node:path';
import { type ValidationReport, validateDocument } from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import { aiwgKinds, isAiwgKind } from '../../formats/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

const maxShownProblems = 50;

/** `ralphd validate`: checks a document of AIWG against its schema. */
export async function validateCommand({ options, args }: Invocation, surroundings: Surroundings): Promise<number> {
  const [name = ''] = args;
  const { as: kind } = options;
  if (kind !== undefined && (typeof kind !== 'string' || !isAiwgKind(kind))) {
    throw new LoopError(failures.badValue('--as', `one of ${aiwgKinds.join(', ')}`, String(kind)));
  }
  const reading = options['pure'] === true ? 'pure' : 'nullable';
  const report = validateDocument({ path: path.resolve(surroundings.cwd, name), name, kind, reading });
  if (options['json'] === true) surroundings.stdout.write(jsonLine(report));
  else printLines(surroundings.stdout, lines(report, surroundings));
  return report.valid ? exitCodes.completed : exitCodes.failed;
}

function lines({ file, kind, valid, problems, nulls }: ValidationReport, { stdout }: Surroundings): readonly string[] {
  const paint = paintFor(stdout);
  const shown = problems.slice(0, maxShownProblems);
  const left = problems.length - shown.length;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const title = `${scrub(file)} is ${valid ? 'a valid' : 'not a valid'} AIWG v2 ${kind === undefined ? '' : `${kind} `}document`;
  return [
    valid ? paint.good(`${title}.`) : paint.bad(`${title}: ${count}.`),
    ...shown.map(({ pointer, message }) => `  ${scrub(pointer) || '(the document)'} ${scrub(message)}`),
    ...(left > 0 ? [`  and ${left} more; see --json`] : []),
    ...(nulls.length > 0
      ? [`  A plain 2020-12 validator refuses null at ${nulls.map(({ pointer }) => scrub(pointer)).join(', ')}.`]
      : []),
  ];
}
