import path from 'node:path';
import { type GrowingFile, openGrowingFile, watchChanges } from '../../files/index.ts';
import type { Stream } from '../../process/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import { attemptFolder, attemptsOf, iterationsOf, type RootedPlace } from '../../store/index.ts';
import type { FactFeed } from './fact-feed.ts';

/** The output of a loop's agents: where an attempt begins and ends, and the bytes between. The buffers are reused. */
export type OutputPiece =
  | ({ readonly kind: 'attempt' } & AttemptKey)
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

/** The attempts with output from an iteration on, in order; by default from the newest iteration with output. */
export function attemptsWithOutput(place: RootedPlace, from?: number): readonly AttemptKey[] {
  const iterations = iterationsOf(place);
  const withOutput = (iteration: number) =>
    attemptsOf(place, iteration)
      .map((attempt) => ({ iteration, attempt }))
      .filter((key) => hasOutput(place, key));
  if (from !== undefined) return iterations.filter((iteration) => iteration >= from).flatMap(withOutput);
  for (const iteration of iterations.toReversed()) {
    const found = withOutput(iteration);
    if (found.length > 0) return found;
  }
  return [];
}

/** The attempts at one iteration that have output, in order. */
export function attemptsAt(place: RootedPlace, iteration: number): readonly number[] {
  return attemptsOf(place, iteration).filter((attempt) => hasOutput(place, { iteration, attempt }));
}

/** The iterations of which files are stored, in order. */
export function iterationsWithFiles(place: RootedPlace): readonly number[] {
  return iterationsOf(place);
}

/** Whether an agent was started in an attempt. */
export function hasOutput(place: RootedPlace, key: AttemptKey): boolean {
  return place.files.look(outputFile(place, key, 'stdout')) !== undefined;
}

/** What an attempt has printed so far. */
export async function* readAttempt(place: RootedPlace, key: AttemptKey, stream: Stream): AsyncGenerator<OutputPiece> {
  yield { kind: 'attempt', ...key };
  using file = openGrowingFile(place.files, outputFile(place, key, stream));
  yield* unread(file);
  yield { kind: 'end' };
}

/** An attempt whose agent may still run. */
export interface LiveAttempt extends AttemptKey {
  readonly stream: Stream;
  /** The facts from here on; the one that ends the attempt is not consumed. */
  readonly facts: FactFeed;
  readonly signal: AbortSignal;
}

/** What an attempt prints until a fact ends it. The file stays open, because its middle may be removed afterwards. */
export async function* followAttempt(place: RootedPlace, live: LiveAttempt): AsyncGenerator<OutputPiece> {
  const { iteration, attempt, stream, facts, signal } = live;
  const key = { iteration, attempt };
  yield { kind: 'attempt', ...key };
  using file = openGrowingFile(place.files, outputFile(place, key, stream));
  using changes = watchChanges(attemptFolder(place, key), signal);
  while (!signal.aborted && !(await isOver(facts, key))) {
    yield* unread(file);
    await Promise.race([changes.next(), facts.peek()]);
  }
  yield* unread(file);
  yield { kind: 'end' };
}

function* unread(file: GrowingFile | undefined): Generator<OutputPiece> {
  for (let bytes = file?.next(); bytes !== undefined; bytes = file?.next()) yield { kind: 'bytes', bytes };
}

function outputFile(place: RootedPlace, key: AttemptKey, stream: Stream): string {
  return path.join(attemptFolder(place, key), stream);
}

/** Skips the facts recorded meanwhile, up to the one that ends the attempt. */
async function isOver(facts: FactFeed, key: AttemptKey): Promise<boolean> {
  while (facts.isReady()) {
    const next = await facts.peek();
    if (next.done === true || endsAttempt(next.value, key)) return true;
    facts.take();
  }
  return false;
}

function endsAttempt(fact: RecordedFact, { iteration, attempt }: AttemptKey): boolean {
  switch (fact.type) {
    case 'agent.finished':
    case 'iteration.finished':
    case 'iteration.interrupted':
      return fact.data.iteration === iteration && fact.data.attempt === attempt;
    case 'iteration.started':
    case 'agent.started':
      return fact.data.iteration !== iteration || fact.data.attempt !== attempt;
    case 'loop.paused':
    case 'loop.ended':
      return true;
    default:
      return false;
  }
}
