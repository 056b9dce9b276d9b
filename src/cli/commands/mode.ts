import { findLoop, type LoopPlace, type LoopView, readLoopFacts } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { type Loop, type LoopOrder, modeOf, nextSwitch } from '../../core/index.ts';
import { type FactData, type Mode, modes, type SwitchMoment } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { sendOrder } from '../send-order.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { modeChangeText, modeText } from '../words/decisions.ts';

/** `ralphd mode`: switches the mode of a loop, or shows it with the switches so far. */
export async function modeCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { args, options } = invocation;
  const place = await placeFor(invocation, surroundings);
  const mode = modes.find((each) => each === args.at(-1));
  if (mode === undefined && args.length === 2)
    throw new LoopError(failures.badValue('MODE', `one of ${modes.join(', ')}`, `"${args[1] ?? ''}"`));
  if (mode === undefined) return await show(place, invocation, surroundings);
  const id = args.length < 2 ? undefined : args[0];
  const order: LoopOrder = { command: 'mode', mode, when: momentIn(options) };
  const { loop } = await sendOrder(findLoop(place, id), order, { place, surroundings });
  const { stdout } = surroundings;
  if (options['json'] === true)
    stdout.write(jsonLine({ loopId: loop.id, command: 'mode', accepted: true, status: loop.status }));
  else printLines(stdout, [`${loop.id} ${switchText(mode, momentIn(options))}.`]);
  return 0;
}

const switchMoments: Readonly<Record<SwitchMoment, string>> = {
  now: 'now',
  iteration: 'after the current iteration',
  pause: 'when it is paused next',
};

function switchText(mode: Mode, moment: SwitchMoment): string {
  return moment === 'now' ? `is ${mode} now` : `will be ${mode} ${switchMoments[moment]}`;
}

function momentIn(options: Invocation['options']): SwitchMoment {
  const [after, atPause] = [options['after-iteration'] === true, options['at-pause'] === true];
  if (after && atPause) throw new LoopError(failures.conflictingOptions('--after-iteration', '--at-pause'));
  if (after) return 'iteration';
  return atPause ? 'pause' : 'now';
}

interface PastSwitch extends FactData<'mode.changed'> {
  readonly at: string;
}

async function show(place: LoopPlace, { args, options }: Invocation, surroundings: Surroundings): Promise<number> {
  const { loop } = found(place, args[0]);
  const history: PastSwitch[] = [];
  const followed = { loopId: loop.id, root: place.root, context: appContext(surroundings) };
  for await (const fact of readLoopFacts(followed, 0)) {
    if (fact.type === 'mode.changed') history.push({ at: fact.at, ...fact.data });
  }
  const { stdout } = surroundings;
  if (options['json'] === true) stdout.write(jsonLine(toObject(loop, history)));
  else printLines(stdout, toLines(loop, history));
  return 0;
}

/** A word that names neither a mode nor a loop is probably a mistyped mode. */
function found(place: LoopPlace, query: string | undefined): LoopView {
  try {
    return findLoop(place, query, { orNewest: true });
  } catch (error) {
    if (query === undefined || !(error instanceof LoopError)) throw error;
    throw new LoopError(failures.badValue('MODE', `one of ${modes.join(', ')}, or the id of a loop`, `"${query}"`));
  }
}

function toObject(loop: Loop, history: readonly PastSwitch[]): Record<string, unknown> {
  const next = nextSwitch(loop, modeOf(loop), Date.now());
  return {
    loopId: loop.id,
    mode: modeOf(loop),
    requested: loop.commands.requests.mode ?? null,
    scheduled: next === undefined ? null : { at: new Date(next.atMs).toISOString(), mode: next.mode },
    history,
  };
}

function toLines(loop: Loop, history: readonly PastSwitch[]): readonly string[] {
  const nowMs = Date.now();
  const mode = modeOf(loop);
  const next = nextSwitch(loop, mode, nowMs);
  return [
    `${loop.id} is ${modeText(mode, loop.commands.requests.mode)}.`,
    ...(next === undefined ? [] : [`  ${localInstant(next.atMs, nowMs)}  ${next.mode}, by the schedule (to come)`]),
    ...history
      .toReversed()
      .map(({ at, ...change }) => `  ${localInstant(Date.parse(at), nowMs)}  ${modeChangeText(change)}`),
  ];
}
