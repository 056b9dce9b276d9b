import type { Ending } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import { asObject, asText } from '../_shared/json.ts';
import { embeddedObject } from '../_shared/provider-error.ts';
import { readGeminiError } from './error.ts';

/** What is known about a run apart from its stderr. */
export interface GeminiRun {
  readonly ending: Ending;
  readonly isOpen: boolean;
  /** When it last printed an event. */
  readonly lastAt: Date | undefined;
  /** What it printed instead of events. */
  readonly answer: RunResult | undefined;
}

const refusals = [
  /^unknown arguments?:/i,
  /^not enough arguments following/i,
  /^invalid values:/i,
  /^error resuming session/i,
  /no input provided via stdin/i,
  /not (?:running in )?a trusted|untrusted|trusted (?:folder|director|workspace)/i,
];
/** It waits out what it calls a capacity limit, for hours if necessary, and only this line reports it. */
const waiting = /^Attempt \d+ failed: (.+?)\.? Retrying after \d+ms/gm;
const apiError = /^Error when talking to Gemini API.*?\.json (?:(\w+): )?([\s\S]*?)(?=^\s+at |^\{$|$(?![\s\S]))/m;

/** The outcome of a run whose stream ended without a result. */
export function readGeminiStderr(stderr: string, { ending, isOpen, lastAt, answer }: GeminiRun): RunResult | undefined {
  if (ending.kind === 'signalled') return undefined;
  if (answer !== undefined) return answer;
  const reported = documentIn(stderr) ?? apiErrorIn(stderr) ?? waitIn(stderr, lastAt) ?? sentenceIn(stderr);
  return reported ?? (isOpen ? { outcome: 'interrupted' } : undefined);
}

/** With `--output-format json` an error is a separate document. */
function documentIn(stderr: string): RunResult | undefined {
  const text = /^\{\n[\s\S]*?^\}$/m.exec(stderr)?.[0];
  const error = asObject(embeddedObject(text ?? '')?.['error']);
  if (error === undefined) return undefined;
  return reported(asText(error['type']), asText(error['message']) ?? '');
}

function apiErrorIn(stderr: string): RunResult | undefined {
  const [found, type, message] = apiError.exec(stderr) ?? [];
  return found === undefined ? undefined : reported(type, message ?? '');
}

function waitIn(stderr: string, lastAt: Date | undefined): RunResult | undefined {
  const words = [...stderr.matchAll(waiting)].at(-1)?.[1];
  return words === undefined ? undefined : readGeminiError(undefined, words, lastAt);
}

function sentenceIn(stderr: string): RunResult | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  const refusal = lines.find((line) => refusals.some((pattern) => pattern.test(line)));
  if (refusal !== undefined) return { outcome: 'configuration', message: refusal };
  const failure = lines.find((line) =>
    /max session turns|api.?key|auth method|authenticat|operation cancelled/i.test(line),
  );
  return failure === undefined ? undefined : reported(undefined, failure);
}

function reported(type: string | undefined, text: string): RunResult {
  const { outcome, message } = readGeminiError(type, text, undefined);
  return { outcome, message };
}
