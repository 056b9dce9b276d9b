import { cell, type Line, line, lineWidth, wrapLine } from '../text.ts';
import { bar, type Meter, metersOf, pips, streaksOf } from './figures.ts';
import { header } from './header.ts';
import { shortSoFarRow, shortTestsRow } from './history-rows.ts';
import { paneOf } from './pane.ts';
import { bottomOf, type LoopScene, shownPart } from './scene.ts';
import { doing, need } from './sentences.ts';

/** A small terminal: the sentences first, then as many figures and pane lines as there are rows for. */
export function tinyScreen(scene: LoopScene): readonly Line[] {
  const { size, words, nowMs, ui } = scene;
  const { columns, rows } = size;
  const head = header({ ...scene, place: undefined, clock: words.instant(nowMs, nowMs) });
  const bottom = bottomOf(scene);
  const said = sentences(scene).slice(0, Math.max(1, rows - 2));
  const fixed = [head, ...said];
  const left = rows - fixed.length - bottom.length;
  if (left <= 0) return [...fixed.slice(0, Math.max(1, rows - bottom.length)), ...bottom];
  const pane = paneOf({ ...scene, columns: columns + 1 });
  const minPane = pane.lines.length === 0 ? 0 : Math.min(2, Math.floor(left / 3));
  const figures = tinyFigures(scene).slice(0, Math.max(0, left - minPane));
  const room = left - figures.length;
  const { lines } = shownPart(pane, room, ui.anchor);
  const filling = Array.from({ length: Math.max(0, room - lines.length) }, () => line());
  return [...fixed, ...figures, ...lines.slice(0, room).map(withoutMargin), ...filling, ...bottom];
}

function sentences(scene: LoopScene): readonly Line[] {
  return [...doing(scene).short, ...need(scene).short].flatMap((each) => wrapLine(each, scene.columns).slice(0, 2));
}

/** Money and time first, then whether it gets better. */
function tinyFigures(scene: LoopScene): readonly Line[] {
  const { model, nowMs, columns } = scene;
  const meters = metersOf(model, nowMs);
  const important = ['cost', 'time', 'iterations'].flatMap((name) => meters.filter((each) => each.name === name));
  const [streak] = streaksOf(model);
  const streakRow =
    streak === undefined
      ? []
      : [
          streak.count === 0
            ? line('streaks none: every rule is at 0')
            : line(`${streak.name} `, pips(streak, Math.min(8, streak.max)), ` ${streak.count} of ${streak.max}`),
        ];
  return [
    ...important.slice(0, 2).map((meter) => tinyMeter(meter, columns)),
    ...(model.loop.gate.checks.length === 0 ? [] : [shortTestsRow(scene)]),
    ...streakRow,
    shortSoFarRow(scene),
  ];
}

function tinyMeter(meter: Meter, columns: number): Line {
  const head = line(`${meter.name} ${meter.text}  `);
  const room = columns - lineWidth(head);
  return room < 4 || meter.share === undefined ? head : line(cell(head, lineWidth(head)), bar(meter, room));
}

function withoutMargin(spans: Line): Line {
  const [first, ...rest] = spans;
  return first === undefined || !first.text.startsWith(' ')
    ? spans
    : [{ ...first, text: first.text.slice(1) }, ...rest];
}
