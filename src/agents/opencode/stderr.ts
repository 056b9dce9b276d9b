import { stripVTControlCharacters } from 'node:util';
import type { ReadError } from '../_shared/read-error.ts';
import { readOpenCodeMessage } from './error.ts';

const refusals =
  /^(?:session not found|you must provide a message|file not found|failed to change directory)|^--\w+ requires/i;

/** What stderr reveals about a run whose stream does not, given when its last event arrived. */
export function readOpenCodeStderr(stderr: string, after: Date | undefined): ReadError | undefined {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const reported = lines.flatMap((line) => /^Error: (.+)/.exec(line.trim())?.[1] ?? []).at(-1);
  if (reported !== undefined) {
    return refusals.test(reported)
      ? { outcome: 'configuration', message: reported }
      : readOpenCodeMessage(reported, undefined);
  }
  // It answers a command line that it does not understand with its help page.
  const isHelp = lines[0]?.startsWith('opencode run [message..]');
  if (isHelp) return { outcome: 'configuration', message: 'opencode does not understand its command line' };
  return lastLogged(lines, after);
}

/** Failed requests are retried silently: only the log shows them. Requests for titles do not count. */
function lastLogged(lines: readonly string[], after: Date | undefined): ReadError | undefined {
  const line = lines.findLast((text) => /\blevel=ERROR\b/.test(text) && !/\bsmall=true\b/.test(text));
  const message = /\berror(?:\.\w+)?="((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1];
  if (line === undefined || message === undefined) return undefined;
  const at = new Date(/\btimestamp=(\S+)/.exec(line)?.[1] ?? Number.NaN);
  // An error that it recovered from does not matter.
  if (after !== undefined && !(at > after)) return undefined;
  return readOpenCodeMessage(message, Number.isNaN(at.getTime()) ? undefined : at);
}
