import { failures, LoopError } from '../../base/index.ts';
import type { SessionStop } from '../../core/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads what an agent gives to its Stop hook. Fields that an agent does not know are as if nothing were there. */
export function readSessionStop(text: string): SessionStop {
  const fields = objectIn(text);
  if (fields === undefined) throw new LoopError(failures.hookInputInvalid('it is not a JSON object'));
  const sessionId = textIn(fields, 'session_id');
  if (sessionId === undefined || !/^[\w.:-]{1,200}$/u.test(sessionId)) {
    throw new LoopError(failures.hookInputInvalid('"session_id" is missing or malformed'));
  }
  const [cwd, transcriptPath, stopReason] = ['cwd', 'transcript_path', 'stop_reason'].map((key) => textIn(fields, key));
  return {
    event: textIn(fields, 'hook_event_name') ?? '',
    sessionId,
    message: textIn(fields, 'last_assistant_message') ?? '',
    backgroundTasks: lengthOf(fields['background_tasks']),
    wakeUps: lengthOf(fields['session_crons']),
    isPlanning: fields['permission_mode'] === 'plan',
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    ...(stopReason === undefined ? {} : { stopReason }),
  };
}

/** Whether the newest message in the end of a transcript is an error of the provider instead of the model's answer. */
export function endsWithProviderError(transcript: string): boolean {
  const entries = transcript.split('\n').map(objectIn);
  const last = entries.findLast((entry) => entry?.['type'] === 'assistant' || entry?.['type'] === 'user');
  return last?.['isApiErrorMessage'] === true;
}

function objectIn(text: string): Fields | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' ? value : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
