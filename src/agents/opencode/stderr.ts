import { stripVTControlCharacters } from 'node:util';
import type { ReadError } from '../_shared/read-error.ts';
import { readOpenCodeSentence } from './error.ts';

const refusals =
  /^(?:session not found|you must provide a message|file not found|failed to change directory)|^--\w+ requires/i;

/** What the error channel says about a run whose stream does not say it, and told its last at a given instant. */
export function readOpenCodeStderr(stderr: string, after: Date | undefined): ReadError | undefined {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const said = lines.flatMap((line) => /^Error: (.+)/.exec(line.trim())?.[1] ?? []).at(-1);
  if (said !== undefined) {
    return refusals.test(said) ? { outcome: 'configuration', message: said } : readOpenCodeSentence(said, undefined);
  }
  // To a command line that it does not understand, it answers with its page of help.
  const isHelp = lines[0]?.startsWith('opencode run [message..]');
  if (isHelp) return { outcome: 'configuration', message: 'opencode does not understand its command line' };
  return lastLogged(lines, after);
}

/** Failed requests are tried again in silence: only the log tells. Titles are asked for by the way. */
function lastLogged(lines: readonly string[], after: Date | undefined): ReadError | undefined {
  const line = lines.findLast((text) => /\blevel=ERROR\b/.test(text) && !/\bsmall=true\b/.test(text));
  const sentence = /\berror(?:\.\w+)?="((?:[^"\\]|\\.)*)"/.exec(line ?? '')?.[1];
  if (line === undefined || sentence === undefined) return undefined;
  const at = new Date(/\btimestamp=(\S+)/.exec(line)?.[1] ?? Number.NaN);
  // What it got over before it went on is of no interest.
  if (after !== undefined && !(at > after)) return undefined;
  return readOpenCodeSentence(sentence, Number.isNaN(at.getTime()) ? undefined : at);
}
