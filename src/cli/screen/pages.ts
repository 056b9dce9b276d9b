import { findLoop, inspectIteration, type LoopPlace, openLogs, remoteLoopsAt } from '../../app/index.ts';
import { explain } from '../../core/index.ts';
import type { ScreenPages } from '../../tui/index.ts';
import { explainLines } from '../commands/explain.ts';
import { inspectLines } from '../output/inspect-lines.ts';
import { createLogPage } from '../output/log-page.ts';
import { plainPaint } from '../output/paint.ts';
import { patchLines } from '../output/patch-lines.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { phraseExplanation } from '../words/explanation.ts';

/** The pages that a person opens from the screen: the same lines as those of `inspect` and `explain`. */
export function createPages(place: LoopPlace, surroundings: Surroundings): ScreenPages {
  const context = appContext(surroundings);
  const inspect = async (loopId: string, iteration: number | undefined, withPatch: boolean) =>
    await inspectIteration(place, loopId, { context, request: { iteration, withPatch } });
  return {
    inspect: async (loopId, iteration, columns) => {
      const found = await inspect(loopId, iteration, false);
      const canvas = { paint: plainPaint, width: columns, isElsewhere: remoteLoopsAt(place.root) !== undefined };
      return inspectLines(found, { ...canvas, cwd: surroundings.cwd, nowMs: Date.now(), wholePrompt: true });
    },
    diff: async (loopId, iteration, columns) => {
      const { changes } = await inspect(loopId, iteration, true);
      const patch = changes?.patch;
      if (patch === undefined || patch === null) return ['No diff is stored for this iteration.'];
      return patch.text === '' ? ['Nothing has changed.'] : patchLines(patch, { paint: plainPaint, width: columns });
    },
    explain: async (loopId, columns) => {
      const view = findLoop(place, loopId);
      const { shownStatus, wakeAt, loop } = view;
      const explanation = phraseExplanation(explain(loop, { nowMs: Date.now(), shownStatus, wakeAt }), loop);
      return explainLines(view, explanation, { paint: plainPaint, width: columns });
    },
    words: async (loopId, iteration, columns) => {
      const request = { iteration, attempt: undefined, stream: 'stdout', follow: false } as const;
      const page = createLogPage({
        canvas: { paint: plainPaint, width: columns },
        withHeadings: true,
        withResults: false,
      });
      const newest = createTail(maxWords);
      for await (const entry of openLogs(place, loopId, context).transcript(request)) newest.add(page.take(entry));
      newest.add(page.end());
      const lines = newest.text.split('\n');
      const all = `ralphd logs ${loopId}${iteration === undefined ? '' : ` ${iteration}`}`;
      return newest.isCut ? [`Only the newest part; all of it: ${all}`, '', ...lines.slice(1)] : lines;
    },
  };
}

/** More than anyone reads in a pager, and little memory. */
const maxWords = 4_000_000;

/** The end of a text of any length, in bounded memory. */
function createTail(max: number): { add(text: string): void; readonly text: string; readonly isCut: boolean } {
  let text = '';
  let isCut = false;
  return {
    add(more) {
      text += more;
      if (text.length < 2 * max) return;
      text = text.slice(-max);
      isCut = true;
    },
    get text() {
      return text;
    },
    get isCut() {
      return isCut;
    },
  };
}
