import { describeDoubts, type Loop } from '../../core/index.ts';
import { row } from './fact-lines.ts';
import { oneLine } from './plain.ts';

const maxFiles = 6;

/** What a person should know before they decide. */
export function questionLines(loop: Loop): readonly string[] {
  const { config, position, handover, tests, verification, signals } = loop;
  const total = config.maxIterations === 0 ? '' : ` of ${config.maxIterations}`;
  const summary = handover.summaries.at(-1);
  const files = handover.touchedFiles.slice(-maxFiles).toReversed();
  return [
    row('done', `${position.finished}${total} iterations, ${loop.totals.stats.successfulIterations} with progress`),
    ...(summary === undefined ? [] : [row('summary', oneLine(`${summary.iteration}: ${summary.text}`, 200))]),
    ...(verification.latest === undefined
      ? []
      : [row('checks', `${verification.latest.result.verdict} after iteration ${verification.latest.iteration}`)]),
    ...(tests.latest === undefined ? [] : [row('tests', `${tests.latest.passed} of ${tests.latest.total} pass`)]),
    ...(files.length === 0 ? [] : [row('changed', oneLine(files.join(', '), 200))]),
    ...(signals.lastFailure === undefined ? [] : [row('error', oneLine(signals.lastFailure.message, 200))]),
    ...describeDoubts(loop).map(({ message }) => row('doubt', oneLine(message, 200))),
  ];
}
