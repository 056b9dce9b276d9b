import type { LoopModel } from '../../views/index.ts';
import { cell, clip, faint, type Line, line, rule, span, strong, wrapLine } from '../text.ts';
import { failingChart } from './chart.ts';
import { bar, type Meter, metersOf, pips, type Streak, streaksOf } from './figures.ts';
import { header } from './header.ts';
import { gateRow, iterationTable, soFarRow, testsRow } from './history-rows.ts';
import { paneOf } from './pane.ts';
import { bottomOf, type Drawing, type LoopScene, type LoopUi, sceneOf, shownPart } from './scene.ts';
import { doing, need } from './sentences.ts';
import { tinyScreen } from './tiny-screen.ts';

/** The screen of one loop: exactly as many lines as there are rows, none wider than the screen. */
export function loopScreen(model: LoopModel, ui: LoopUi, drawing: Drawing): readonly Line[] {
  const scene = sceneOf(model, ui, drawing);
  const { columns, rows } = drawing.size;
  const isTiny = columns < 60 || rows < 18;
  const lines = isTiny ? tinyScreen(scene) : fullScreen(scene);
  return lines.slice(0, rows).map((each) => clip(each, columns));
}

function fullScreen(scene: LoopScene): readonly Line[] {
  const { columns, rows } = scene.size;
  const isWide = columns >= 100 && rows >= 30;
  const top = [
    header({ ...scene, place: scene.ui.place, clock: scene.words.instant(scene.nowMs, scene.nowMs) }),
    ...sentenceLines(scene),
    rule(columns),
    ...(isWide ? wideFigures(scene) : figureRows(scene)),
    line(),
    testsRow(scene),
    gateRow(scene),
    soFarRow(scene),
    ...(isWide ? [line()] : []),
  ];
  const bottom = bottomOf(scene);
  const left = rows - top.length - bottom.length;
  return [...top, ...body(scene, left), ...bottom];
}

function sentenceLines(scene: LoopScene): readonly Line[] {
  return [doing(scene).long, need(scene).long].flatMap((sentence) =>
    wrapLine(sentence, scene.columns - 2)
      .slice(0, 3)
      .map((each) => line(' ', each)),
  );
}

const minPane = 4;
const minTable = 3;

/** The table and the pane share what is left: neither keeps rows that the other could use. */
function body(scene: LoopScene, left: number): readonly Line[] {
  const { columns, model, ui } = scene;
  const count = model.history.closed.length + (model.history.fold.open === undefined ? 0 : 1);
  if (left < minPane) {
    const rows = left < 2 || count === 0 ? [] : iterationTable(scene, left - 1);
    return [...rows, ...emptyRows(left - rows.length)];
  }
  const pane = paneOf(scene);
  const isRoomy = left >= minPane + minTable;
  const wanted = Math.max(minTable, Math.min(count, left - 2 - Math.min(pane.lines.length, Math.ceil(left * 0.55))));
  const table = isRoomy && count > 0 ? iterationTable(scene, wanted) : [];
  const room = left - table.length - 1;
  const { lines, remark } = shownPart(pane, room, ui.anchor);
  return [...table, rule(columns, pane.title, remark), ...lines, ...emptyRows(room - lines.length)];
}

function emptyRows(count: number): readonly Line[] {
  return Array.from({ length: Math.max(0, count) }, () => line());
}

/** Budgets beside streaks, in pairs. */
function figureRows(scene: LoopScene): readonly Line[] {
  const { columns, model, nowMs } = scene;
  const [meters, streaks] = [metersOf(model, nowMs), streaksOf(model)];
  const barWidth = Math.max(6, Math.min(30, columns - 65));
  const textWidth = Math.max(17, ...meters.map(({ text }) => text.length));
  const rows = Math.min(6, Math.max(meters.length, streaks.length));
  return Array.from({ length: rows }, (_, row) => {
    const [meter, streak] = [meters[row], streaks[row]];
    const left = meter === undefined ? line() : meterLine(meter, { name: 11, text: textWidth, bar: barWidth });
    return line(cell(left, 11 + textWidth + barWidth + 3), '  ', streak === undefined ? '' : streakLine(streak));
  });
}

function meterLine(meter: Meter, width: { name: number; text: number; bar: number }): Line {
  return line(' ', cell(meter.name, width.name), cell(meter.text, width.text, 'right'), '  ', bar(meter, width.bar));
}

function streakLine(streak: Streak): Line {
  return line(cell(streak.name, 16), pips(streak, 6), ` ${streak.count} of ${streak.max}`);
}

const maxFigures = 10;

/** The chart of failing tests beside every rule. */
function wideFigures(scene: LoopScene): readonly Line[] {
  const { model, nowMs, columns, state } = scene;
  const half = Math.floor(columns / 2) - 4;
  const chart = failingChart(scene, half);
  const isOver = ['proven', 'green', 'claimed', 'stopped', 'aborted'].includes(state);
  const meters = metersOf(model, nowMs);
  const textWidth = Math.max(10, ...meters.map(({ text }) => text.length));
  const room = columns - half - 2 - (16 + textWidth + 2 + 10 + 2);
  const rules = [
    line(strong(isOver ? 'stop rules, as they stood at the end' : 'stop rules, nearest first')),
    ...meters.map((meter) => {
      const note = meter.note !== undefined && meter.note.length <= room ? line('  ', faint(meter.note)) : line();
      return line(cell(meter.name, 16), cell(meter.text, textWidth, 'right'), '  ', bar(meter, 10), note);
    }),
    ...streaksOf(model).map((streak) =>
      line(cell(streak.name, 16), cell(`${streak.count} of ${streak.max}`, textWidth, 'right'), '  ', pips(streak, 10)),
    ),
  ];
  const height = Math.max(chart.length, Math.min(rules.length, maxFigures));
  return Array.from({ length: height }, (_, row) =>
    line(cell(chart[row] ?? line(), half + 1), span(' '), rules[row] ?? ''),
  );
}
