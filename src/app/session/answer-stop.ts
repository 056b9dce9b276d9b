import { randomUUID } from 'node:crypto';
import { readSessionStop } from '../../agents/index.ts';
import { type HostSession, type LetStopCause, type Loop, whyLetStop } from '../../core/index.ts';
import type { Fact } from '../../protocol/index.ts';
import { createFileLoopStore } from '../adapters/file-loop-store.ts';
import type { AppContext } from '../agent-programs.ts';
import { type DrivenLoop, driveLoop } from '../driven-loop.ts';
import type { LoopView } from '../loop-view.ts';
import { thisMachine } from '../machine.ts';
import { createRegistry } from '../registry.ts';
import { resumeFacts } from '../resume-loop.ts';
import { type LoopPlace, openGuardedStore } from '../stores.ts';
import { isProviderError, loopOfSession, transcriptEnd } from './find-session-loop.ts';
import { createSessionPort } from './session-port.ts';

/** What the hook answers when a session stops. */
export type StopAnswer =
  /** The session works on no loop. */
  | { readonly kind: 'none' }
  /** The session may stop; its loop waits for it. */
  | { readonly kind: 'let'; readonly loop: Loop; readonly cause: LetStopCause }
  /** The session may stop: its loop has ended or rests. `isLate`: the checks took too long for the hook. */
  | { readonly kind: 'over'; readonly loop: Loop; readonly isLate: boolean }
  /** The session has to continue with this prompt. */
  | { readonly kind: 'block'; readonly loop: Loop; readonly prompt: string };

/** How the hook runs. */
export interface StopOptions {
  readonly agent: string;
  readonly context: AppContext;
  /** Where the loops of the folder are in which the session works. */
  readonly placeOf: (cwd: string | undefined) => Promise<LoopPlace>;
  /** How long this may take: shorter than the time after which the agent ends its hook. */
  readonly timeoutMs: number;
  /** Ends the work; the loop is then paused. */
  readonly signal: AbortSignal;
}

/** Judges what a session did, as an iteration of its loop, and says whether it may stop. */
export async function answerStop(input: string, options: StopOptions): Promise<StopAnswer> {
  const { agent, context, placeOf } = options;
  // An agent that ralphd started itself: its loop is driven by another process.
  if (context.env['RALPHD_LOOP_ID']) return { kind: 'none' };
  const stop = readSessionStop(input);
  const place = await placeOf(stop.cwd);
  const transcript = transcriptEnd(stop.transcriptPath);
  const { sessionId } = stop;
  const view = await loopOfSession(place, { sessionId, transcript });
  if (view === undefined) return { kind: 'none' };
  const { iteration } = view.loop.position;
  const cause = whyLetStop(stop, { iteration, isProviderError: isProviderError(transcript) });
  if (cause !== undefined) return { kind: 'let', loop: view.loop, cause };
  const session = createSessionPort({ agent, id: sessionId } satisfies HostSession, {
    stop,
    promptedAt: view.loop.pending.wakeAt,
  });
  await using driven = await openForSession(view, place, { context, sessionId, session: session.port });
  const { loop, isLate } = await driveWithin(driven, options);
  const prompt = loop.pending.hostSession === undefined ? undefined : session.prompt();
  return prompt === undefined ? { kind: 'over', loop, isLate } : { kind: 'block', loop, prompt };
}

async function openForSession(
  { loop: { id } }: LoopView,
  place: LoopPlace,
  {
    context,
    session,
    sessionId,
  }: Pick<StopOptions, 'context'> & {
    readonly sessionId: string;
    readonly session: Parameters<typeof driveLoop>[1]['session'];
  },
): Promise<DrivenLoop> {
  const folders = openGuardedStore(place, context.env);
  const store = createFileLoopStore(folders, { registry: createRegistry(place), machine: thisMachine });
  const owned = await store.open(id);
  const { loop, problems } = owned.recovered;
  const messages = problems.map(({ message }) => message);
  const facts = loop === undefined ? [] : openingFacts(loop, { messages, context, sessionId });
  return await driveLoop(owned, { facts, root: place.root, context, ...(session === undefined ? {} : { session }) });
}

/** A session that stopped ends the wait for it; anything else is left behind by a hook that was killed. */
function openingFacts(
  loop: Loop,
  { messages, context, sessionId }: { messages: readonly string[]; context: AppContext; sessionId: string },
): readonly Fact[] {
  const { wakeAt, hostSession } = loop.pending;
  if (hostSession === undefined || wakeAt === undefined) return resumeFacts(loop, messages, context);
  const elapsedMs = Math.max(0, thisMachine.clock.nowMs() - Date.parse(wakeAt));
  return [{ type: 'session.stopped', data: { session: { ...hostSession, id: sessionId }, elapsedMs } }];
}

async function driveWithin(
  { drive }: DrivenLoop,
  { timeoutMs, signal }: StopOptions,
): Promise<{ readonly loop: Loop; readonly isLate: boolean }> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const interrupt = () =>
    void drive.send({ id: randomUUID(), command: 'interrupt', signal: 'SIGTERM' }).catch(() => {});
  const over = AbortSignal.any([late.signal, signal]);
  over.addEventListener('abort', interrupt, { once: true });
  try {
    const { loop } = await drive.run({ stayWhenPaused: () => false, returnWhenWaitingLongerThanMs: 0 });
    return { loop, isLate: late.signal.aborted };
  } finally {
    clearTimeout(timer);
    over.removeEventListener('abort', interrupt);
  }
}
