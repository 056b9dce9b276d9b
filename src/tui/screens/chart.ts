import { rowsOf } from '../../views/index.ts';
import { cell, faint, type Line, line, strong } from '../text.ts';
import { type HistoryView, signOf } from './history-rows.ts';

const height = 5;
const steps = '▁▂▃▄▅▆▇█';

/** The failing tests after each run of the gate, as bars with their numbers; where tests were not counted, no bar. */
export function failingChart(view: HistoryView, columns: number): readonly Line[] {
  const { model } = view;
  const before = model.loop.verification.baseline?.tests?.failed;
  const all = rowsOf(model.history);
  const width = all.length * 3 + 8 > columns ? 2 : 3;
  const room = Math.max(1, Math.floor((columns - 6) / width) - 1);
  const rows = all.slice(-room);
  const isWhole = rows.length === all.length;
  const values = [...(isWhole ? [before] : []), ...rows.map(({ failedTests }) => failedTests)];
  const title = line(' ', strong('failing tests'), faint(', as ralphd ran them'));
  if (values.every((value) => value === undefined)) return [title, line(' none were counted yet')];
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  const bars = Array.from({ length: height }, (_, index) => {
    const level = height - 1 - index;
    const label = index === 0 ? String(top) : '';
    return line(faint(label.padStart(5)), ' ', ...values.map((value) => blockAt(value, { top, level, width })));
  });
  const numbers = values.map((value) => (value === undefined ? '' : String(value)));
  const labels = line(faint(' fail '), ...thinned(numbers, width));
  const signs = line(
    '      ',
    isWhole ? faint('b'.padEnd(width)) : '',
    rows.flatMap((row) => cell(signOf(row, view), width)),
  );
  const scale = rows.map(({ iteration }) => (iteration % 5 === 0 ? String(iteration) : ''));
  const numbersBelow = line('      ', isWhole ? ' '.repeat(width) : '', faint(thinned(scale, width).join('')));
  return [title, ...bars, labels, signs, numbersBelow];
}

function blockAt(value: number | undefined, at: { top: number; level: number; width: number }): string {
  const { top, level, width } = at;
  const filled = value === undefined ? 0 : (value / top) * height - level;
  const block = filled <= 0 ? ' ' : filled >= 1 ? '█' : steps.charAt(Math.max(0, Math.ceil(filled * 8) - 1));
  return `${block.repeat(width - 1)} `;
}

/** Numbers below their columns; one that would run into the next is left out. */
function thinned(texts: readonly string[], width: number): readonly string[] {
  let free = 0;
  return texts.map((text, index) => {
    const at = index * width;
    const start = Math.max(at, free);
    if (text === '' || start > at) return ' '.repeat(Math.max(0, at + width - start));
    free = at + text.length + 1;
    return text.padEnd(width);
  });
}
