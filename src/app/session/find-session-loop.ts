import { endsWithProviderError } from '../../agents/index.ts';
import { nodeFiles, readEnd } from '../../files/index.ts';
import type { LoopView } from '../loop-view.ts';
import { findLoop } from '../read-loops.ts';
import { listStatuses } from '../read-status.ts';
import type { LoopPlace } from '../stores.ts';

/** A session, as its agent describes it. */
export interface SessionQuery {
  readonly sessionId: string;
  /** The end of its transcript. */
  readonly transcript?: string;
}

/**
 * The loop that a session works on; undefined if there is none. A loop that was started without naming its session
 * belongs to the one that has seen the loop's UUID, which is in its first prompt.
 */
export async function loopOfSession(
  place: LoopPlace,
  { sessionId, transcript = '' }: SessionQuery,
): Promise<LoopView | undefined> {
  const { loops } = await listStatuses(place);
  const isIts = ({ hostSession, view: { uuid } }: (typeof loops)[number]) =>
    hostSession !== undefined &&
    (hostSession.id === sessionId || (hostSession.id === undefined && transcript.includes(uuid)));
  const waiting = loops.find(isIts);
  if (waiting !== undefined) return findLoop(place, waiting.view.id);
  // A hook that was killed left its loop behind in the middle of an iteration.
  return loops
    .filter(({ shownStatus }) => shownStatus === 'crashed')
    .map(({ view }) => findLoop(place, view.id))
    .find(({ loop }) => loop.session.current?.id === sessionId);
}

const maxTranscriptBytes = 8 * 1024 * 1024;

/** The end of a session's transcript; empty if there is none. A link in its place is refused. */
export function transcriptEnd(file: string | undefined): string {
  return file === undefined ? '' : readEnd(nodeFiles, file, maxTranscriptBytes).toString();
}

/** Whether a session stopped because its provider failed. */
export function isProviderError(transcript: string): boolean {
  return endsWithProviderError(transcript.slice(-256 * 1024));
}
