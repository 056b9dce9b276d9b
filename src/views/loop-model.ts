import { evolve, type Loop } from '../core/index.ts';
import type { Pulse, RecordedFact, Status, StoredView } from '../protocol/index.ts';
import { addFact, type History, noHistory } from './history.ts';
import { addPulse, type Live, nothingLive, runOf } from './live.ts';
import { isParkedLoop, runningMsAt, type SeenOwner, shownStatusOf } from './standing.ts';
import { viewOf } from './view-of.ts';

/** Everything that the screen knows about one loop: a fold over its facts, its pulses and its owner. */
export interface LoopModel {
  readonly loop: Loop;
  readonly view: StoredView;
  readonly shownStatus: Status | 'idle';
  readonly owner: SeenOwner;
  readonly history: History;
  readonly live: Live;
}

/** The model of a loop as it was read. */
export function loopModel(loop: Loop, owner: SeenOwner): LoopModel {
  return withOwner({ loop, history: noHistory, live: nothingLive }, owner);
}

/** Takes one more fact. Facts from before the loop was read only tell its history. */
export function takeFact(model: LoopModel, fact: RecordedFact): LoopModel {
  const history = addFact(model.history, fact);
  const isKnown = fact.seq <= model.loop.journal.seq;
  const loop = isKnown ? model.loop : evolve(model.loop, fact);
  // A pulse may arrive before the fact of its own run.
  const isNewRun = fact.type === 'iteration.started' && model.live.run !== runOf({ ...fact.data, epoch: fact.epoch });
  const live = isNewRun ? nothingLive : model.live;
  return isKnown ? { ...model, history } : withOwner({ loop, history, live }, model.owner);
}

/** Takes one more pulse; undefined when a step is over. */
export function takePulse(model: LoopModel, pulse: Pulse | undefined): LoopModel {
  return { ...model, live: addPulse(model.live, pulse) };
}

/** Takes the state of the process that runs the loop, and the loop as it was read after that. */
export function takeOwner(model: LoopModel, owner: SeenOwner, read: Loop): LoopModel {
  const loop = read.journal.seq > model.loop.journal.seq ? read : model.loop;
  return withOwner({ ...model, loop }, owner);
}

/** When a loop without a process is due. */
export function wakeAtOf({ loop, owner }: Pick<LoopModel, 'loop' | 'owner'>): string | undefined {
  return isParkedLoop({ status: loop.status, wakeAt: loop.pending.wakeAt }, owner.state)
    ? loop.pending.wakeAt
    : undefined;
}

/** How long the loop has been running, up to now. */
export function runningMsOf({ view, shownStatus, owner }: LoopModel, nowMs: number): number {
  const isDriven = owner.state === 'working' || owner.state === 'stopped' || owner.state === 'unknown';
  if (shownStatus !== 'running' || !isDriven) return view.runningMs;
  const countedAt = view.current?.startedAt ?? view.lastActivityAt;
  return runningMsAt({ runningMs: view.runningMs, countedAt, ownedSince: owner.since }, nowMs);
}

/** When the agent last did something, as far as it is known. */
export function lastOutputAt({ live: { pulse, activities } }: LoopModel): string | undefined {
  return pulse?.step === 'agent' ? activities.at(-1)?.at : undefined;
}

function withOwner({ loop, history, live }: Pick<LoopModel, 'loop' | 'history' | 'live'>, owner: SeenOwner): LoopModel {
  const shownStatus = shownStatusOf({ status: loop.status, wakeAt: loop.pending.wakeAt }, owner.state);
  return { loop, view: viewOf(loop), shownStatus, owner, history, live };
}
