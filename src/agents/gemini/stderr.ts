import type { Ending } from '../../protocol/index.ts';
import type { Said } from '../_shared/account.ts';
import { asObject, asText } from '../_shared/json.ts';
import { embeddedObject } from '../_shared/provider-error.ts';
import { readGeminiError } from './error.ts';

/** What is known of a run apart from its error channel. */
export interface GeminiRun {
  readonly ending: Ending;
  readonly isOpen: boolean;
  /** When it last printed an event. */
  readonly lastAt: Date | undefined;
  /** What it printed instead of events. */
  readonly answer: Said | undefined;
}

const refusals = [
  /^unknown arguments?:/i,
  /^not enough arguments following/i,
  /^invalid values:/i,
  /^error resuming session/i,
  /no input provided via stdin/i,
  /not (?:running in )?a trusted|untrusted|trusted (?:folder|director|workspace)/i,
];
/** It sits out what it calls a limit of capacity, for hours if need be, and only this line tells. */
const waiting = /^Attempt \d+ failed: (.+?)\.? Retrying after \d+ms/gm;
const apiError = /^Error when talking to Gemini API.*?\.json (?:(\w+): )?([\s\S]*?)(?=^\s+at |^\{$|$(?![\s\S]))/m;

/** What a run means whose stream ended without a result. */
export function readGeminiStderr(stderr: string, { ending, isOpen, lastAt, answer }: GeminiRun): Said | undefined {
  if (ending.kind === 'signalled') return undefined;
  if (answer !== undefined) return answer;
  const said = documentIn(stderr) ?? apiErrorIn(stderr) ?? waitIn(stderr, lastAt) ?? sentenceIn(stderr);
  return said ?? (isOpen ? { outcome: 'interrupted' } : undefined);
}

/** With `--output-format json` an error is a document of its own. */
function documentIn(stderr: string): Said | undefined {
  const text = /^\{\n[\s\S]*?^\}$/m.exec(stderr)?.[0];
  const error = asObject(embeddedObject(text ?? '')?.['error']);
  if (error === undefined) return undefined;
  return said(asText(error['type']), asText(error['message']) ?? '');
}

function apiErrorIn(stderr: string): Said | undefined {
  const [found, type, message] = apiError.exec(stderr) ?? [];
  return found === undefined ? undefined : said(type, message ?? '');
}

function waitIn(stderr: string, lastAt: Date | undefined): Said | undefined {
  const words = [...stderr.matchAll(waiting)].at(-1)?.[1];
  return words === undefined ? undefined : readGeminiError(undefined, words, lastAt);
}

function sentenceIn(stderr: string): Said | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const refusal = lines.find((line) => refusals.some((saying) => saying.test(line)));
  if (refusal !== undefined) return { outcome: 'configuration', message: refusal };
  const failure = lines.find((line) =>
    /max session turns|api.?key|auth method|authenticat|operation cancelled/i.test(line),
  );
  return failure === undefined ? undefined : said(undefined, failure);
}

function said(type: string | undefined, text: string): Said {
  const { outcome, message } = readGeminiError(type, text, undefined);
  return { outcome, message };
}
