import { type LoopModel, type LoopState, stateOf, wakeAtOf } from '../../views/index.ts';
import { type Line, line, type Size, strong, wrapLine } from '../text.ts';
import type { ExplainedLoop, ScreenWords } from '../words.ts';
import type { HistoryView } from './history-rows.ts';
import { keyRow, loopKeys } from './keys.ts';
import type { Pane } from './pane.ts';
import type { Told } from './sentences.ts';

/** What a person sees of one loop, besides the loop itself. */
export interface LoopUi {
  /** The chosen iteration. */
  readonly chosen?: number | undefined;
  /** The number of pane lines down to the last one shown; missing while the newest are followed. */
  readonly anchor?: number | undefined;
  /** Such as `3/9`. */
  readonly place?: string | undefined;
  /** What was just done, or why not. */
  readonly notice?: string | undefined;
  /** What has opened above the keys, with keys of its own. */
  readonly overlay?: { readonly lines: readonly Line[]; readonly keys: Line } | undefined;
  /** Whether this process runs the loop, so that Ctrl-C pauses it. */
  readonly isOwn?: boolean | undefined;
}

/** Everything that a screen is drawn from. */
export interface Drawing {
  readonly size: Size;
  readonly words: ScreenWords;
  readonly nowMs: number;
}

/** All that the parts of the screen need. */
export interface LoopScene extends Told, HistoryView {
  readonly ui: LoopUi;
  readonly size: Size;
  readonly explained: ExplainedLoop;
  readonly state: LoopState;
  readonly isWhole: boolean;
}

/** The state of a loop and its explanation at this moment. */
export function sceneOf(model: LoopModel, ui: LoopUi, { size, words, nowMs }: Drawing): LoopScene {
  const { view, shownStatus, owner, loop } = model;
  const wakeAt = wakeAtOf(model);
  const hostSession = wakeAt === undefined ? undefined : loop.pending.hostSession;
  const seen = {
    view,
    shownStatus,
    ownerState: owner.state,
    wakeAt: hostSession === undefined ? wakeAt : undefined,
    hostSession,
  };
  const found = stateOf(seen, nowMs);
  // Only a pulse tells that the checks run before the first iteration.
  const state = found === 'running' && model.live.pulse?.step === 'check' ? 'verifying' : found;
  const explained = words.explain(loop, { nowMs, shownStatus, wakeAt });
  return {
    model,
    ui,
    size,
    words,
    nowMs,
    state,
    explained,
    columns: size.columns,
    chosen: ui.chosen,
    isWhole: ui.anchor !== undefined,
  };
}

/** The notice, what has opened, and the keys. */
export function bottomOf({ ui, state, columns }: LoopScene): readonly Line[] {
  const notice =
    ui.notice === undefined
      ? []
      : wrapLine(line(strong(ui.notice)), columns - 2)
          .slice(0, 2)
          .map((each) => line(' ', each));
  if (ui.overlay !== undefined) return [...notice, ...ui.overlay.lines, ui.overlay.keys];
  const hints = loopKeys(state, ui.place !== undefined);
  const last =
    ui.isOwn === true
      ? ([
          ['ctrl-c', 'pause now'],
          ['?', 'help'],
          ['q', 'lines'],
        ] as const)
      : undefined;
  return [...notice, keyRow(hints, columns, last)];
}

/** The part of a pane that fits, and what is to be said about the rest. */
export function shownPart(
  { lines, remark, follows }: Pane,
  room: number,
  anchor: number | undefined,
): { readonly lines: readonly Line[]; readonly remark: string } {
  if (!follows) {
    const hidden = lines.length - room;
    if (hidden <= 0) return { lines, remark };
    const end = Math.min(lines.length, Math.max(room, anchor ?? room));
    const below = lines.length - end;
    return { lines: lines.slice(end - room, end), remark: below === 0 ? remark : `${below} more below` };
  }
  const end =
    anchor === undefined ? lines.length : Math.min(lines.length, Math.max(Math.min(room, lines.length), anchor));
  const below = lines.length - end;
  const said =
    below === 0
      ? [remark, anchor === undefined ? 'following' : '']
      : [`${below} new ${below === 1 ? 'line' : 'lines'}`, 'f follows'];
  return { lines: lines.slice(Math.max(0, end - room), end), remark: said.filter((each) => each !== '').join(' · ') };
}
