import { setTimeout as delay } from 'node:timers/promises';
import { failures, LoopError } from '../base/index.ts';
import { leaveCommand } from '../control/index.ts';
import { accept, isTerminal, type Loop, type LoopCommand } from '../core/index.ts';
import type { AppContext } from './adapters.ts';
import { driveLoop } from './driven-loop.ts';
import type { LoopView } from './loop-view.ts';
import { foldState } from './ports/store-port.ts';
import { type LoopPlace, openGuardedStore, openStore } from './stores.ts';

const lookEveryMs = 100;

/** What became of a command. */
export interface Answer {
  readonly loop: Loop;
}

/** How long to wait for an answer, and what it takes when nobody drives the loop. */
export interface Telling {
  readonly context: AppContext;
  readonly patienceMs: number;
}

/** Tells a loop to do something: through its owner if it has one, else in its place. */
export async function tellLoop(
  { loop, folder, owner }: LoopView,
  command: LoopCommand,
  { place, context, patienceMs }: Telling & { readonly place: LoopPlace },
): Promise<Answer> {
  if (owner?.alive !== true) return await actForLoop(loop, command, { place, context });
  leaveCommand({ root: place.root, folder }, command, Date.now());
  return await awaitAnswer(loop.id, command, { place, patienceMs });
}

/** Nobody drives the loop: take it, answer, let what follows happen, and give it up again. */
async function actForLoop(
  before: Loop,
  command: LoopCommand,
  { place, context }: { readonly place: LoopPlace; readonly context: AppContext },
): Promise<Answer> {
  const open = openGuardedStore(place, context.env).open(before.id);
  const loop = foldState({ loopId: before.id, ...open.recovered });
  const facts = accept(loop, command);
  const refusal = facts.find((fact) => fact.type === 'command.refused');
  using driven = driveLoop(open, loop, { facts, root: place.root, context });
  if (refusal !== undefined) throw refused(loop.id, command, refusal.data.why);
  const { requests } = driven.drive.loop;
  const ends = requests.pause !== undefined || requests.end !== undefined;
  return { loop: ends ? await driven.drive.run({ stayWhenPaused: () => false }) : driven.drive.loop };
}

async function awaitAnswer(
  loopId: string,
  command: LoopCommand,
  { place, patienceMs }: { readonly place: LoopPlace; readonly patienceMs: number },
): Promise<Answer> {
  const store = openStore(place);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const loop = foldState(store.read(loopId));
    const answer = loop.servedCommands.find(({ id }) => id === command.id);
    if (answer?.refusedBecause !== undefined) throw refused(loopId, command, answer.refusedBecause);
    if (answer !== undefined) return { loop };
    if (isTerminal(loop.status)) throw refused(loopId, command, `the loop is ${loop.status}, and that never changes`);
    if (performance.now() > deadline) throw new LoopError(failures.commandUnanswered(loopId, command.command));
    await delay(lookEveryMs);
  }
}

function refused(loopId: string, { command }: LoopCommand, why: string): LoopError {
  return new LoopError(failures.commandRefused(loopId, command, why));
}
