import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../base/index.ts';
import { isTerminal, type Loop, type LoopCommand } from '../core/index.ts';
import { isStopped } from '../process/index.ts';
import { actionOf, commandTable } from '../protocol/index.ts';
import type { LoopFolders } from '../store/index.ts';
import type { AnsweredLoop } from './adapters/command-answers.ts';
import { createFileCommandBus, type FileCommandBus } from './adapters/file-command-bus.ts';
import { createFileEventBus } from './adapters/file-event-bus.ts';
import { createFileLoopStore } from './adapters/file-loop-store.ts';
import type { AppContext } from './agent-programs.ts';
import { driveLoop } from './driven-loop.ts';
import type { LoopView } from './loop-view.ts';
import { thisMachine } from './machine.ts';
import { readLoop } from './read-loops.ts';
import { createRegistry } from './registry.ts';
import { remoteLoopsAt } from './remote-loops.ts';
import { localSender } from './sender.ts';
import { type LoopPlace, openGuardedStore, openStore } from './stores.ts';
import { readmitLoop } from './worktree-share.ts';

/** What is needed to reach a loop, and to act when no process runs it. */
export interface SendOptions {
  readonly place: LoopPlace;
  readonly context: AppContext;
  /** How long to wait for an owner's answer, which may be writing to a slow disk. Default: ten seconds. */
  readonly patienceMs?: number;
  /** Stops waiting; the command stays. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a command as `askLoop` does. Returns the loop that accepted it; throws if it refuses. */
export async function sendToLoop(view: LoopView, command: LoopCommand, options: SendOptions): Promise<Loop> {
  const { loop, answer } = await askLoop(view, command, options);
  if (answer.accepted) return loop;
  const allowed = onCommandLine(answer.allowed);
  throw new LoopError(failures.commandRefused(loop.id, actionOf(command.command), answer.why, allowed));
}

/** Commands as typed on the command line. */
export function onCommandLine(names: readonly LoopCommand['command'][]): readonly string[] {
  return names.map((name) => {
    const { optionOf } = { optionOf: undefined, ...commandTable[name] };
    return optionOf === undefined ? name : `${optionOf} --${name}`;
  });
}

/**
 * Asks the owner of a loop to withdraw a pause or to continue after one. Undefined if the loop has no such owner, or if
 * that owner left meanwhile: then it has to be resumed as usual.
 */
export async function resumeThroughOwner(loopId: string, options: SendOptions): Promise<Loop | undefined> {
  const store = openStore(options.place);
  // A loop whose folder was deleted has no owner to ask, and can still be restored.
  if (!store.has(loopId) || !isDriven(store, loopId)) return undefined;
  const view = readLoop(store, loopId);
  const { status, commands } = view.loop;
  if (status !== 'paused' && commands.requests.pause === undefined) return undefined;
  if (status === 'paused') await readmitLoop(options.place, view.loop, { force: false, env: options.context.env });
  const command = { id: randomUUID(), command: 'resume', sender: localSender(options.context.face) } as const;
  const { answer } = await askLoop(view, command, options);
  const loop = await settledLoop(store, view);
  if (loop === undefined) return undefined;
  if (answer.accepted) return loop;
  throw new LoopError(failures.commandRefused(loopId, 'resume', answer.why, onCommandLine(answer.allowed)));
}

/** The loop once its owner continues it; undefined if that owner is gone and a temporary owner answered. */
async function settledLoop(store: LoopFolders, before: LoopView): Promise<Loop | undefined> {
  const { clock } = thisMachine;
  const deadlineMs = clock.monotonicMs() + answerPatienceMs;
  for (;;) {
    const { loop, owner } = readLoop(store, before.loop.id);
    if (isTerminal(loop.status)) return loop;
    if (owner === undefined || owner.liveness === 'dead') return undefined;
    const isSameOwner = owner.epoch === before.owner?.epoch && loop.status !== 'paused';
    if (isSameOwner || clock.monotonicMs() > deadlineMs) return loop;
    await clock.waitUntil(clock.nowMs() + retryAfterMs, neverAborted);
  }
}

/** Sends a command to a loop: through its owner if it has one, otherwise by acting as its owner. */
export async function askLoop(view: LoopView, command: LoopCommand, options: SendOptions): Promise<AnsweredLoop> {
  const remote = remoteLoopsAt(options.place.root);
  if (remote !== undefined) return await remote.ask(view, command, options);
  const folders = openStore(options.place);
  const { clock } = thisMachine;
  const deadlineMs = clock.monotonicMs() + answerPatienceMs;
  let now = view;
  for (;;) {
    try {
      return await askOnce(now, command, { ...options, folders });
    } catch (error) {
      // Another process became the owner meanwhile and is asked now; the same id ensures that it acts only once.
      const isTaken = error instanceof LoopError && error.code === 'LOOP_LOCKED';
      if (!isTaken || clock.monotonicMs() > deadlineMs) throw error;
      await clock.waitUntil(clock.nowMs() + retryAfterMs, options.signal ?? neverAborted);
      now = readLoop(folders, view.loop.id);
    }
  }
}

const retryAfterMs = 50;
const neverAborted = new AbortController().signal;

async function askOnce(
  { loop, owner }: LoopView,
  command: LoopCommand,
  { folders, ...options }: SendOptions & { readonly folders: LoopFolders },
): Promise<AnsweredLoop> {
  const bus = createFileCommandBus({ folders, events: createFileEventBus(folders), clock: thisMachine.clock });
  if (owner === undefined || owner.liveness === 'dead') return await actForLoop(loop, command, { ...options, bus });
  const isOwned = () => isDriven(folders, loop.id);
  // A stopped process cannot answer; one that was continued just now gets its chance.
  const { patienceMs = isStopped(owner) ? stoppedPatienceMs : answerPatienceMs } = options;
  using patience = waitForOwner(isOwned, patienceMs);
  const signal = AbortSignal.any([patience.over, ...(options.signal ? [options.signal] : [])]);
  try {
    return await bus.ask(loop, command, { signal });
  } catch (error) {
    if (!patience.over.aborted) throw error;
    // Its owner left or died before it could answer, so the command is carried out here.
    if (!isOwned()) return await actForLoop(loop, command, { ...options, bus });
    const driver = `process ${owner.pid} on ${owner.host}`;
    throw new LoopError(failures.commandUnanswered(loop.id, command.command, driver, isStopped(owner)));
  }
}

function isDriven(folders: LoopFolders, loopId: string): boolean {
  return (folders.owner(loopId)?.liveness ?? 'dead') !== 'dead';
}

const recheckMs = 1_000;
const answerPatienceMs = 10_000;
const stoppedPatienceMs = 1_000;

/** `over` aborts when there is no point in waiting any longer. */
function waitForOwner(isOwned: () => boolean, patienceMs: number): Disposable & { readonly over: AbortSignal } {
  const { clock } = thisMachine;
  const over = new AbortController();
  const answered = new AbortController();
  const deadlineMs = clock.monotonicMs() + patienceMs;
  const wait = async () => {
    for (;;) {
      const leftMs = deadlineMs - clock.monotonicMs();
      if (answered.signal.aborted) return;
      if (leftMs <= 0 || !isOwned()) return over.abort();
      await clock.waitUntil(clock.nowMs() + Math.min(leftMs, recheckMs), answered.signal);
    }
  };
  // A loop that can no longer be read has no owner to wait for.
  wait().catch((error: unknown) => over.abort(error));
  return { over: over.signal, [Symbol.dispose]: () => answered.abort() };
}

/** No process runs the loop: take it over, answer, carry out the consequences, and release it. */
async function actForLoop(
  before: Loop,
  command: LoopCommand,
  { place, context, bus }: SendOptions & { readonly bus: FileCommandBus },
): Promise<AnsweredLoop> {
  const loopId = before.id;
  // Nothing is written after the end of a loop, not even a refused command.
  if (isTerminal(before.status)) return { loop: before, answer: await bus.send(loopId, command) };
  const folders = openGuardedStore(place, context.env);
  const store = createFileLoopStore(folders, { registry: createRegistry(place), machine: thisMachine });
  await using driven = await driveLoop(await store.open(loopId), { facts: [], root: place.root, context });
  const { drive } = driven;
  // Commands that an earlier owner left unanswered come first.
  await bus.serveWaiting(loopId, (waiting) => drive.send(waiting));
  const answer = await drive.send(command);
  if (!answer.accepted) return { loop: drive.loop, answer };
  const { requests } = drive.loop.commands;
  const ends = requests.pause !== undefined || requests.end !== undefined;
  if (ends) await drive.run({ stayWhenPaused: () => false, ignoresCommands: true });
  return { loop: drive.loop, answer };
}
