import { exitCodes } from '../base/index.ts';
import { describeDoubts, exitCodeOf, type Loop, warningsOf } from '../core/index.ts';
import { closingLines } from './output/closing.ts';
import { printLines } from './output/fit-lines.ts';
import { jsonLine } from './output/json-line.ts';
import { paintFor } from './output/paint.ts';
import type { Surroundings } from './surroundings.ts';

/** Prints the state of a loop that no longer runs, and returns the exit code. */
export function reportEnd(
  loop: Loop,
  { stdout }: Pick<Surroundings, 'stdout'>,
  { asJson, signal }: { readonly asJson: boolean; readonly signal?: NodeJS.Signals | undefined },
): number {
  const exitCode = exitCodeFor(loop, signal);
  if (asJson) stdout.write(jsonLine(endObject(loop, exitCode)));
  else printLines(stdout, closingLines(loop, paintFor(stdout)));
  return exitCode;
}

/** The last line of `run --json`: a public contract. */
function endObject(loop: Loop, exitCode: number): Record<string, unknown> {
  return {
    type: 'loop.ended',
    loopId: loop.id,
    status: loop.status,
    reason: loop.outcome.reason,
    verified: loop.outcome.verified,
    proof: loop.outcome.proof ?? 'none',
    doubts: describeDoubts(loop),
    warnings: warningsOf(loop),
    iterations: loop.totals.stats.iterations,
    exitCode,
  };
}

function exitCodeFor(loop: Loop, signal: NodeJS.Signals | undefined): number {
  const code = exitCodeOf(loop);
  return code === exitCodes.interrupted && signal === 'SIGTERM' ? exitCodes.terminated : code;
}
