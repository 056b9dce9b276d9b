import type { AgentEvent } from '../_shared/event.ts';
import { asObject, asText, type Json } from '../_shared/json.ts';
import { embeddedObject } from '../_shared/provider-error.ts';
import { readGeminiError } from './error.ts';
import { modelOf, usageOfDocument } from './usage.ts';

/** Collects a document that was printed over many lines. */
export interface DocumentReader {
  /** The document's events, once its last line is taken. */
  take(line: string): readonly AgentEvent[] | undefined;
}

const maxLength = 4 * 1024 * 1024;

/** Waits for the first line of a document. */
export function createDocumentReader(): DocumentReader {
  let text: string | undefined;
  return {
    take(line) {
      if (line.trimEnd() === '{') text = '';
      if (text === undefined) return undefined;
      text += `${line}\n`;
      const isDone = line.trimEnd() === '}';
      if (!isDone && text.length <= maxLength) return undefined;
      const document = isDone ? embeddedObject(text) : undefined;
      text = undefined;
      return document === undefined ? undefined : eventsOf(document);
    },
  };
}

function eventsOf(document: Json): readonly AgentEvent[] | undefined {
  const response = document['response'];
  const error = asObject(document['error']);
  if (typeof response !== 'string' && error === undefined) return undefined;
  const id = asText(document['session_id']);
  const stats = asObject(document['stats']) ?? {};
  return [
    ...(id === undefined ? [] : [{ type: 'session', id } as const]),
    ...modelOf(stats),
    ...(typeof response === 'string' ? [{ type: 'text', message: '', text: response, append: false } as const] : []),
    ...usageOfDocument(stats),
    resultOf(error),
  ];
}

function resultOf(error: Json | undefined): AgentEvent {
  if (error === undefined) return { type: 'result', outcome: 'completed' };
  const { outcome, message } = readGeminiError(asText(error['type']), asText(error['message']) ?? '', undefined);
  return { type: 'result', outcome, message };
}
