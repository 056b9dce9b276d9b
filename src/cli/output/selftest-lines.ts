import { padAfter, scrub } from '../../base/index.ts';
import type { SelftestReport, SelftestRow } from '../../selftest/index.ts';
import type { Paint } from './paint.ts';
import { shortDuration, wrapLine } from './plain.ts';

const maxWidth = 80;
const indent = 10;
const timeWidth = 7;

/** One row of the table: what was done, what must hold, and what was found instead. */
export function selftestRow(row: SelftestRow, paint: Paint, width: number): readonly string[] {
  const { name, action, promise, result, durationMs } = row;
  const mark = { ok: paint.good('✓'), failed: paint.bad('✗'), not_possible: paint.warn('!') }[result];
  const room = Math.min(width, maxWidth) - indent;
  const [first = '', ...rest] = wrapLine(action, room - timeWidth);
  const note = noteOf(row);
  const lines = [
    ...rest,
    ...wrapLine(promise, room).map(paint.dim),
    ...(note === '' ? [] : wrapLine(scrub(note), room).map(result === 'failed' ? paint.bad : paint.warn)),
  ];
  const time = paint.dim(shortDuration(durationMs).padStart(timeWidth));
  return [
    `${mark} ${padAfter(name, indent - 2)}${padAfter(first, room - timeWidth)}${time}`,
    ...lines.map((line) => `${' '.repeat(indent)}${line}`),
  ];
}

function noteOf({ result, finding = '', remark = '' }: SelftestRow): string {
  switch (result) {
    case 'ok':
      return remark;
    case 'failed':
      return `found: ${finding}`;
    case 'not_possible':
      return `not possible here: ${finding}`;
  }
}

/** The lines below the table. */
export function selftestSummary(report: SelftestReport, paint: Paint): readonly string[] {
  const { scenarios, durationMs, seed, folder } = report;
  const count = (result: SelftestRow['result']) => scenarios.filter((row) => row.result === result).length;
  const failed = scenarios.filter(({ result }) => result === 'failed');
  const parts = [
    `${count('ok')} of ${scenarios.length} passed`,
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
    ...(count('not_possible') === 0 ? [] : [`${count('not_possible')} not possible here`]),
  ];
  const total = `${parts.join(', ')}, in ${shortDuration(durationMs)} (seed ${seed})`;
  const again = failed.map(({ name }) => `--only ${name} `).join('');
  return [
    '',
    failed.length === 0 ? paint.good(`✓ ${total}`) : paint.bad(`✗ ${total}`),
    ...(failed.length === 0 ? [] : [`  repeat: ralphd selftest ${again}--seed ${seed} --keep`]),
    ...(folder === undefined ? [] : [`  kept:   ${folder}`]),
  ];
}
