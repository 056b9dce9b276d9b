import { type AgentAdapter, createTranscript, type TranscriptEntry } from '../agents/index.ts';
import { failures, LoopError, type Redactor } from '../base/index.ts';
import type { Stream } from '../process/index.ts';
import type { AttemptKey } from '../runner/index.ts';
import type { RootedPlace } from '../store/index.ts';
import { attemptsAt, attemptsWithOutput, type OutputPiece, readAttempt } from './adapters/attempt-output.ts';
import { followOutput } from './adapters/follow-output.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { type AppContext, adapterFor } from './agent-programs.ts';
import type { LoopView } from './loop-view.ts';
import { findLoop } from './read-loops.ts';
import { type OutputElsewhere, remoteLoopsAt, type WholeOutput } from './remote-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** Which output to read: by default the newest attempt of the newest iteration with output. */
export interface LogRequest {
  readonly iteration?: number | undefined;
  readonly attempt?: number | undefined;
  readonly stream: Stream;
  /** Continues with new output and later attempts. */
  readonly follow: boolean;
}

/** An attempt of which only the end is here says where all of it is. */
interface StartOfAttempt extends AttemptKey {
  readonly missing?: WholeOutput;
}

/** The start of an attempt, or what the agent wrote and did in it, redacted. */
export type LogEntry = ({ readonly type: 'attempt' } & StartOfAttempt) | TranscriptEntry;

type LogPiece = Exclude<OutputPiece, { readonly kind: 'attempt' }> | ({ readonly kind: 'attempt' } & StartOfAttempt);

/** What the agents of one loop printed. */
export interface Logs {
  readonly loopId: string;
  /** Whether the agent reports its tool calls. */
  readonly hasTools: boolean;
  /** The exact bytes. */
  bytes(request: LogRequest): AsyncGenerator<LogPiece>;
  /** The bytes as text. */
  text(request: LogRequest): AsyncGenerator<LogEntry>;
  /** The meaning of the agent's output; plain text for a program that prints no events. */
  transcript(request: LogRequest): AsyncGenerator<LogEntry>;
}

/** Opens the output of the loop a user means. */
export function openLogs(place: LoopPlace, query: string | undefined, context: AppContext): Logs {
  const view = findLoop(place, query, { orNewest: true });
  const { id: loopId, config } = view.loop;
  const adapter = adapterFor(config, context);
  const redactor = redactorFor(context.env, config);
  const bytes = (request: LogRequest) => readBytes(place, view, request);
  const text = (request: LogRequest) => withoutSecrets(decode(bytes(request)), redactor);
  return {
    loopId,
    hasTools: adapter.reports.tools,
    bytes,
    text,
    transcript: (request) =>
      adapter.streams ? withoutSecrets(interpret(bytes(request), adapter), redactor) : text(request),
  };
}

async function* readBytes(place: LoopPlace, { loop }: LoopView, request: LogRequest): AsyncGenerator<LogPiece> {
  const store = openStore(place);
  const { stream, follow } = request;
  const elsewhere = await remoteLoopsAt(place.root)?.fetchOutput(loop.id, { follow });
  const attempts = chosenAttempts(store.place(loop.id), { loopId: loop.id, request, elsewhere });
  const { signal } = new AbortController();
  const pieces = follow
    ? followOutput(store, { loop, attempts, stream, signal })
    : readAttempts(store.place(loop.id), attempts, stream);
  for await (const piece of pieces) {
    const missing = piece.kind === 'attempt' ? elsewhere?.missing(piece, stream) : undefined;
    yield piece.kind !== 'attempt' || missing === undefined || missing.bytes === 0 ? piece : { ...piece, missing };
  }
}

async function* readAttempts(place: RootedPlace, attempts: readonly AttemptKey[], stream: Stream) {
  for (const key of attempts) yield* readAttempt(place, key, stream);
}

interface Choice {
  readonly loopId: string;
  readonly request: LogRequest;
  readonly elsewhere: OutputElsewhere | undefined;
}

/** One attempt, or it and all later ones with `follow`. */
function chosenAttempts(place: RootedPlace, { loopId, request, elsewhere }: Choice): readonly AttemptKey[] {
  const { iteration, attempt, follow } = request;
  // Every later iteration counts only for those who follow them.
  const found =
    follow || iteration === undefined
      ? attemptsWithOutput(place, iteration)
      : attemptsAt(place, iteration).map((each) => ({ iteration, attempt: each }));
  const newest = iteration ?? found.at(-1)?.iteration;
  const own = found.filter((key) => key.iteration === newest);
  const first = attempt === undefined ? own.at(-1) : own.find((key) => key.attempt === attempt);
  if (first !== undefined) return follow ? found.slice(found.indexOf(first)) : [first];
  if (follow && iteration === undefined && attempt === undefined) return [];
  const which = attempt === undefined ? '' : `attempt ${attempt} at `;
  const what = newest === undefined ? 'any iteration' : `${which}iteration ${newest}`;
  const hint = { available: available(place), elsewhere: elsewhere && { whole: elsewhere.newest } };
  throw new LoopError(failures.outputMissing(loopId, what, hint));
}

function available(place: RootedPlace): string | undefined {
  const iterations = [...new Set(attemptsWithOutput(place, 1).map(({ iteration }) => iteration))];
  const [first, last] = [iterations[0], iterations.at(-1)];
  if (first === undefined) return undefined;
  return first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
}

async function* decode(pieces: AsyncIterable<LogPiece>): AsyncGenerator<LogEntry> {
  let decoder = new TextDecoder();
  for await (const piece of pieces) {
    if (piece.kind === 'attempt') yield toEntry(piece);
    const text = piece.kind === 'bytes' ? decoder.decode(piece.bytes, { stream: true }) : '';
    if (text !== '') yield { type: 'text', text, startsMessage: false };
    if (piece.kind !== 'end') continue;
    const rest = decoder.decode();
    if (rest !== '') yield { type: 'text', text: rest, startsMessage: false };
    decoder = new TextDecoder();
  }
}

async function* interpret(pieces: AsyncIterable<LogPiece>, adapter: AgentAdapter): AsyncGenerator<LogEntry> {
  let reader = adapter.createReader({});
  let transcript = createTranscript();
  for await (const piece of pieces) {
    if (piece.kind === 'attempt') {
      reader = adapter.createReader({});
      transcript = createTranscript();
      yield toEntry(piece);
      continue;
    }
    // The last line may lack its line break.
    const bytes = piece.kind === 'bytes' ? piece.bytes : lineBreak;
    for (const event of reader.push(bytes)) yield* transcript.take(event);
    if (piece.kind === 'bytes' || transcript.hasText) continue;
    // An agent that fails to start prints plain text instead of events.
    const { lastMessage, message } = reader.finish({ stderr: '', ending: { kind: 'exited', code: 0 } });
    const text = lastMessage === '' ? (message ?? '') : lastMessage;
    if (text !== '') yield { type: 'text', text, startsMessage: true };
  }
}

const lineBreak = Buffer.from('\n');

function toEntry({ iteration, attempt, missing }: StartOfAttempt): LogEntry {
  return { type: 'attempt', iteration, attempt, ...(missing === undefined ? {} : { missing }) };
}

/** Also finds a secret split across pieces of text: a possible start of one is held back. */
async function* withoutSecrets(entries: AsyncIterable<LogEntry>, redactor: Redactor): AsyncGenerator<LogEntry> {
  let stream = redactor.stream();
  let startsMessage = false;
  const release = () => {
    const rest = stream.end();
    stream = redactor.stream();
    return rest === '' ? [] : [{ type: 'text', text: rest, startsMessage: false } as const];
  };
  for await (const entry of entries) {
    if (entry.type !== 'text') {
      yield* release();
      yield redactor.redactDeep(entry);
      continue;
    }
    if (entry.startsMessage) yield* release();
    startsMessage ||= entry.startsMessage;
    const text = stream.push(entry.text);
    if (text === '') continue;
    yield { type: 'text', text, startsMessage };
    startsMessage = false;
  }
  yield* release();
}
