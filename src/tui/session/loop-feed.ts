import { findLoop, watchLoop } from '../../app/index.ts';
import { LoopError } from '../../base/index.ts';
import { type LoopModel, loopModel, type SeenOwner, takeFact, takeOwner, takePulse } from '../../views/index.ts';
import type { ScreenSetting } from './setting.ts';

/** Follows one loop until it is closed. */
export interface LoopFeed extends Disposable {
  readonly loopId: string;
  readonly model: LoopModel;
  /** Why the loop can no longer be followed. */
  readonly trouble: string | undefined;
}

/** Follows a loop and calls back whenever its model has changed. */
export function followModel(setting: ScreenSetting, loopId: string, changed: () => void): LoopFeed {
  const { place, context, own } = setting;
  const stop = new AbortController();
  const read = () => findLoop(place, loopId);
  const { loop, owner, ownerState } = read();
  let model = loopModel(loop, { state: ownerState, ...(owner && { pid: owner.pid, since: owner.since }) });
  let trouble: string | undefined;
  const set = (next: LoopModel) => {
    model = next;
    changed();
  };
  const isOwn = own?.loopId === loopId;
  const listening = isOwn ? own.onPulse((pulse) => set(takePulse(model, pulse))) : undefined;
  const watcher = {
    fact: (fact: Parameters<typeof takeFact>[1]) => set(takeFact(model, fact)),
    pulse: (pulse: Parameters<typeof takePulse>[1]) => {
      if (!isOwn) set(takePulse(model, pulse));
    },
    // An owner that leaves has written its last fact before, which may not have arrived here yet.
    owner: (seen: SeenOwner) => set(takeOwner(model, lastKnown(seen, model.owner), readOr(model, read))),
  };
  watchLoop({ loopId, root: place.root, context }, watcher, { afterSeq: 0, signal: stop.signal }).catch(
    (error: unknown) => {
      trouble = error instanceof LoopError ? error.message : String(error);
      changed();
    },
  );
  return {
    loopId,
    get model() {
      return model;
    },
    get trouble() {
      return trouble;
    },
    [Symbol.dispose]: () => {
      stop.abort();
      listening?.[Symbol.dispose]();
    },
  };
}

/** A dead owner keeps its process id on the screen. */
function lastKnown(seen: SeenOwner, before: SeenOwner): SeenOwner {
  return seen.pid === undefined && before.pid !== undefined ? { ...seen, pid: before.pid } : seen;
}

function readOr(model: LoopModel, read: () => { readonly loop: LoopModel['loop'] }): LoopModel['loop'] {
  try {
    return read().loop;
  } catch (error) {
    if (error instanceof LoopError) return model.loop;
    throw error;
  }
}
