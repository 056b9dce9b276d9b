import { randomUUID } from 'node:crypto';
import { type DrivenLoop, localSender } from '../app/index.ts';
import { contextOf, type Loop, type LoopCommand, type LoopContext } from '../core/index.ts';
import type { RecordedFact } from '../protocol/index.ts';
import type { Answer } from '../runner/index.ts';
import { type CommandRequest, commandFrom } from './commands.ts';
import { forPrograms } from './library-error.ts';
import { createLoopEvents, type EventOptions, type LoopEvents } from './loop-events.ts';
import { createEventMaker, type LoopEvent, type LoopId, toEvents } from './to-events.ts';

/** How a run ended. */
export interface LoopResult {
  /** Which loop it was. */
  readonly loopId: LoopId;
  /** The loop at the end of the run: its state, why it stopped, its counters. */
  readonly context: LoopContext;
  /** Whether checks that ralphd ran itself prove the completion. */
  readonly verified: boolean;
}

/** A loop that this program owns and runs. Disposing of it ends the run and leaves the loop paused. */
export interface LoopHandle extends AsyncDisposable {
  /** The loop's id, to find and resume it. */
  readonly id: LoopId;
  /** The current loop: its state, why it stopped, its counters. */
  readonly context: LoopContext;
  /** Problems repaired in the loop's files, and problems that did not stop the loop. */
  readonly problems: readonly string[];
  /**
   * The result of the run. Resolves when the loop ends, pauses or is shut down, whatever its outcome; rejects
   * only if the run cannot continue, for example because of a disk failure.
   */
  readonly result: Promise<LoopResult>;
  /** The loop's events, including past ones, until the run is over. */
  events(options?: EventOptions): AsyncIterableIterator<LoopEvent>;
  /** Sends a command and resolves with its durable answer. A refusal changes nothing. */
  send(request: CommandRequest): Promise<Answer>;
  /** Ends the agent within its grace period, pauses the loop, and resolves when the run is over. */
  shutdown(): Promise<LoopResult>;
}

/** How a run is driven. */
export interface HandleOptions {
  /** Shuts down the run. */
  readonly signal?: AbortSignal | undefined;
  /** End the run when the loop pauses, instead of waiting for a command. */
  readonly leaveWhenPaused?: boolean;
  /** Commands that are answered before anything else happens. */
  readonly first?: readonly QueuedCommand[];
  /** Called with each event once it is durable. */
  readonly observe?: (event: LoopEvent) => void;
}

/** A command that waits for the loop to start. */
export interface QueuedCommand {
  readonly command: LoopCommand;
  readonly answer: (answer: Promise<Answer>) => void;
}

/** A handle with the full state of its loop. */
export interface OwnedHandle extends LoopHandle {
  readonly loop: Loop;
}

/** Runs an open loop until it ends or is shut down. */
export function runHandle(driven: DrivenLoop, options: HandleOptions = {}): OwnedHandle {
  const { drive } = driven;
  const events = createLoopEvents((driven.opening[0]?.seq ?? 1) - 1, ({ afterSeq, signal }) =>
    toEvents(drive.loop.id, driven.follow(signal === undefined ? {} : { signal }), afterSeq),
  );
  const control: Control = { isLeaving: options.leaveWhenPaused === true, isOver: false };
  const shutdown = async () => {
    control.isLeaving = true;
    if (!control.isOver) quietly(drive.send(shutdownCommand()));
    return await result;
  };
  const setting = { ...options, events, control, shutdown: () => quietly(shutdown()) };
  // Deferred, so that the caller has its handle before the first event.
  const result = Promise.resolve().then(() => run(driven, setting));
  // Callers that await the result get the error; they do not have to.
  quietly(result);
  return {
    id: drive.loop.id,
    get loop() {
      return drive.loop;
    },
    get context() {
      return contextOf(drive.loop);
    },
    get problems() {
      return driven.problems.messages;
    },
    result,
    events: events.read,
    send: async (request) => (control.isOver ? runIsOver : await drive.send(commandFrom(request))),
    shutdown,
    [Symbol.asyncDispose]: async () => void (await shutdown()),
  };
}

interface Control {
  /** Whether a pause ends the run. */
  isLeaving: boolean;
  isOver: boolean;
}

const runIsOver: Answer = { accepted: false, why: 'the run is over', allowed: [] };

interface Run extends HandleOptions {
  readonly events: LoopEvents;
  readonly control: Control;
  readonly shutdown: () => void;
}

async function run(driven: DrivenLoop, { events, control, shutdown, ...options }: Run): Promise<LoopResult> {
  const { drive, opening } = driven;
  const { signal, first = [], observe } = options;
  const make = createEventMaker(drive.loop.id, driven.before);
  const publish = (fact: RecordedFact) => {
    const event = make(fact);
    events.add(event);
    observe?.(event);
  };
  signal?.addEventListener('abort', shutdown);
  try {
    await using _owned = driven;
    using _facts = drive.facts.subscribe(publish);
    for (const fact of opening) publish(fact);
    for (const { command, answer } of first) answer(drive.send(command));
    if (signal?.aborted === true) shutdown();
    await drive.run({ stayWhenPaused: () => !control.isLeaving });
  } catch (error) {
    throw forPrograms(error);
  } finally {
    signal?.removeEventListener('abort', shutdown);
    control.isOver = true;
    events.end();
  }
  const { loop } = drive;
  return { loopId: loop.id, context: contextOf(loop), verified: loop.outcome.verified };
}

function shutdownCommand(): LoopCommand {
  return { id: randomUUID(), command: 'interrupt', signal: 'shutdown', sender: localSender('library') };
}

function quietly(promise: Promise<unknown>): void {
  promise.catch(() => {});
}
