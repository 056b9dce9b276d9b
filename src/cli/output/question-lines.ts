import { stripVTControlCharacters } from 'node:util';
import { columnsOf } from '../../base/index.ts';
import { describeDoubts, type Loop } from '../../core/index.ts';
import { patienceText } from '../words/decisions.ts';
import { row } from './fact-lines.ts';
import { localInstant } from './instants.ts';
import { oneLine } from './plain.ts';

const maxFiles = 6;

/** What a person should know before they decide. */
export function questionLines(loop: Loop, nowMs: number): readonly string[] {
  const { config, position, origin, handover, tests, verification, signals, supervision } = loop;
  const total = config.maxIterations === 0 ? '' : ` of ${config.maxIterations}`;
  const summary = handover.summaries.at(-1);
  const files = handover.touchedFiles.slice(-maxFiles).toReversed();
  const approveAt = supervision.question?.approveAt;
  return [
    row('task', oneLine(origin.task, 100)),
    row('done', `${position.finished}${total} iterations, ${loop.totals.stats.successfulIterations} with progress`),
    ...(summary === undefined ? [] : [row('summary', oneLine(`${summary.iteration}: ${summary.text}`, 200))]),
    ...(verification.latest === undefined
      ? []
      : [row('checks', `${verification.latest.result.verdict} after iteration ${verification.latest.iteration}`)]),
    ...(tests.latest === undefined ? [] : [row('tests', `${tests.latest.passed} of ${tests.latest.total} pass`)]),
    ...(files.length === 0 ? [] : [row('changed', oneLine(files.join(', '), 200))]),
    ...(signals.lastFailure === undefined ? [] : [row('error', oneLine(signals.lastFailure.message, 200))]),
    ...describeDoubts(loop).map(({ message }) => row('doubt', oneLine(message, 200))),
    ...(approveAt === undefined
      ? []
      : [
          row(
            'unless',
            `you decide, it ${patienceText(approveAt, nowMs)} (at ${localInstant(Date.parse(approveAt), nowMs)})`,
          ),
        ]),
  ];
}

/** The keys, as many on a line as fit; a key and its meaning stay together. */
export function menuLines(entries: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const entry of entries) {
    const longer = `${lines.at(-1) ?? ''}  ${entry}`;
    if (lines.length > 0 && columnsOf(stripVTControlCharacters(longer)) <= width) lines.splice(-1, 1, longer);
    else lines.push(`  ${entry}`);
  }
  return lines;
}
