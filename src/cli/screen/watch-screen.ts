import { findLoop, type LoopPlace, listStatuses } from '../../app/index.ts';
import { exitCodes, LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import type { Leaving } from '../../tui/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { type Invocation, parseCommandLine } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';
import { openScreen } from './open-screen.ts';

/** Shows one loop, or the list where there are several, until the person leaves; says where things stand then. */
export async function watchOnScreen(
  invocation: Invocation,
  surroundings: Surroundings,
  place: LoopPlace,
): Promise<number> {
  const loopId = await loopToShow(place, invocation.args[0]);
  const { leaving, last } = await look({ place, loopId }, surroundings);
  if (leaving.kind === 'resume') return await resumeHere(leaving.loopId, invocation, surroundings);
  return await sayGoodbye(leaving, { place, loopId: last }, surroundings);
}

/** The loop that is meant; undefined for the list. */
async function loopToShow(place: LoopPlace, query: string | undefined): Promise<string | undefined> {
  if (query === undefined && (await listStatuses(place)).loops.length > 1) return undefined;
  return findLoop(place, query, { orNewest: true }).loop.id;
}

interface Shown {
  readonly place: LoopPlace;
  readonly loopId: string | undefined;
}

async function look(shown: Shown, surroundings: Surroundings): Promise<{ leaving: Left; last: string | undefined }> {
  using session = openScreen(shown, surroundings);
  using signals = onSignals();
  const leaving = await Promise.race([session.left, signals.received]);
  await session.returned;
  return { leaving, last: session.ui.view === 'loops' ? undefined : session.feed?.loopId };
}

type Left = Leaving | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

function onSignals(): Disposable & { readonly received: Promise<Left> } {
  const { promise, resolve } = Promise.withResolvers<Left>();
  const receive = (signal: NodeJS.Signals) => resolve({ kind: 'signal', signal });
  const names: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, receive);
  return {
    received: promise,
    [Symbol.dispose]: () => {
      for (const name of names) process.off(name, receive);
    },
  };
}

/** The lines that stay in the terminal, and the exit code: that of a loop that has ended. */
async function sayGoodbye(leaving: Left, { place, loopId }: Shown, surroundings: Surroundings): Promise<number> {
  const code = leavingCode(leaving);
  const found = loopId === undefined ? undefined : readable(place, loopId);
  if (found !== undefined && isTerminal(found.loop.status)) {
    const { reportEnd } = await import('../report-end.ts');
    const ended = reportEnd(found.loop, surroundings, { asJson: false });
    return code === 0 ? ended : code;
  }
  if (found === undefined) return code;
  const id = found.loop.id;
  const state = found.ownerState === 'working' ? `${id} continues` : `${id} is unchanged`;
  printLines(surroundings.stderr, [`Stopped watching; ${state}. Watch it again: ralphd watch ${id}`]);
  return code;
}

function readable(place: LoopPlace, loopId: string): ReturnType<typeof findLoop> | undefined {
  try {
    return findLoop(place, loopId);
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

function leavingCode(leaving: Left): number {
  switch (leaving.kind) {
    case 'interrupted':
      return exitCodes.interrupted;
    case 'signal':
      return leaving.signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    case 'lost':
      return exitCodes.terminated;
    case 'left':
    case 'resume':
      return 0;
  }
}

/** This terminal becomes the owner of the loop, as with `ralphd resume`. */
async function resumeHere(loopId: string, { options }: Invocation, surroundings: Surroundings): Promise<number> {
  const kept = ['state-dir', 'config'].flatMap((name) => {
    const value = options[name];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  const request = parseCommandLine(['resume', loopId, ...kept]);
  if (request.kind !== 'invoke') return 0;
  const { resumeCommand } = await import('../commands/resume.ts');
  return await resumeCommand(request.invocation, surroundings);
}
