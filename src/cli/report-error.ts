import { styleText } from 'node:util';
import { type LoopError, scrub } from '../base/index.ts';
import { jsonLine } from './output/json-line.ts';
import type { Surroundings } from './surroundings.ts';

/** How an error is shown. */
export interface ErrorReport {
  readonly surroundings: Surroundings;
  readonly asJson: boolean;
  readonly withStack: boolean;
}

/** Shows an error: what, why and what to do next; as JSON it is the result, and so on standard output. */
export function reportError(error: LoopError, { surroundings, asJson, withStack }: ErrorReport): number {
  const { code, message, hint, exitCode } = error.failure;
  const { stdout, stderr } = surroundings;
  if (asJson) stdout.write(jsonLine({ type: 'error', code, message, hint, exitCode }));
  const title = styleText('red', 'ralphd:', { stream: stderr });
  const next = styleText('cyan', '  next:', { stream: stderr });
  stderr.write(
    `${title} ${scrub(message)}\n${next} ${scrub(hint)}\n${styleText('dim', `  code: ${code}`, { stream: stderr })}\n`,
  );
  if (withStack)
    stderr.write(scrub(`${error.stack ?? ''}\n${error.cause instanceof Error ? (error.cause.stack ?? '') : ''}\n`));
  return exitCode;
}
