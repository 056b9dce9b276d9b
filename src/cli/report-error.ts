import { styleText } from 'node:util';
import { boundText, type Failure, type LoopError, scrub } from '../base/index.ts';
import { printLines } from './output/fit-lines.ts';
import { jsonLine } from './output/json-line.ts';
import type { Surroundings } from './surroundings.ts';

/** How an error is shown. */
export interface ErrorReport {
  readonly surroundings: Surroundings;
  readonly asJson: boolean;
  readonly withStack: boolean;
}

const maxTextLength = 2_000;

/** Prints an error: what happened, why, and what to do next. With --json it is the result and goes to stdout. */
export async function reportError(error: LoopError, { surroundings, asJson, withStack }: ErrorReport): Promise<number> {
  const { code, exitCode, allowed } = error.failure;
  // Values from outside can be arbitrarily long.
  const message = boundText(error.failure.message, maxTextLength);
  const hint = boundText(await hintFor(error.failure), maxTextLength);
  const { stdout, stderr } = surroundings;
  if (asJson) stdout.write(jsonLine({ type: 'error', code, message, hint, exitCode, allowed }));
  const title = styleText('red', 'ralphd:', { stream: stderr });
  const next = `  ${styleText('cyan', 'next:', { stream: stderr })}`;
  printLines(stderr, [
    ...`${title} ${scrub(message)}`.split('\n'),
    ...`${next} ${scrub(hint)}`.split('\n'),
    styleText('dim', `  code: ${code}`, { stream: stderr }),
  ]);
  if (withStack)
    stderr.write(scrub(`${error.stack ?? ''}\n${error.cause instanceof Error ? (error.cause.stack ?? '') : ''}\n`));
  return exitCode;
}

async function hintFor({ hint, resume }: Failure): Promise<string> {
  if (resume === undefined) return hint;
  const { resumeLine } = await import('./words/next-steps.ts');
  return `Raise the limit, for example: ${resumeLine(resume, resume.loopId)}`;
}
