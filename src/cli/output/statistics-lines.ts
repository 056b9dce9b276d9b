import type { FailureCount, Numbers, Statistics } from '../../core/index.ts';
import { reportedText } from '../words/spent.ts';
import { oneLine, shortDuration, wrapLine } from './plain.ts';
import type { Canvas } from './rule-lines.ts';

const nameWidth = 10;
const indent = 2 + nameWidth + 1;

/** Statistics for a person. Missing values are shown as unknown. */
export function statisticsLines(
  title: string,
  { statistics, numbers }: { readonly statistics: Statistics; readonly numbers: Numbers },
  canvas: Canvas,
): readonly string[] {
  const { loops, iterations, time, spent } = statistics;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['result', countsText(loops.byStatus)],
    ['reasons', countsText(loops.byReason)],
    ['success', successText(loops)],
    ['iterations', iterationsText(iterations)],
    ['time', timeText(time, iterations)],
    ...reportedText(spent).map((text, index) => [index === 0 ? 'used' : '', text] as const),
    ['cost', costText(statistics)],
    ['proven', provenText(numbers)],
    ...failureTexts(statistics.failures).map((text, index) => [index === 0 ? 'failures' : '', text] as const),
  ];
  return [
    canvas.paint.bold(title),
    ...rows.flatMap(([name, text]) => (text === undefined ? [] : rowLines(name, text, canvas))),
  ];
}

function rowLines(name: string, text: string, { paint, width }: Canvas): readonly string[] {
  const [first = '', ...rest] = wrapLine(oneLine(text, 400), width - indent);
  return [`  ${paint.dim(name.padEnd(nameWidth))} ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)];
}

function countsText(counts: Readonly<Record<string, number>>): string | undefined {
  const parts = Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([word, count]) => `${count} ${word}`);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function successText({ successRate, verified }: Statistics['loops']): string {
  const rate = successRate === null ? 'unknown: no loop has ended' : `${percent(successRate)} of the loops that ended`;
  return `${rate}, ${verified} verified`;
}

function iterationsText({
  total,
  successful,
  successRate,
  failed,
  timedOut,
  skipped,
}: Statistics['iterations']): string {
  const rate = successRate === null ? '' : ` (${percent(successRate)})`;
  const parts = [
    `${successful} with progress${rate}`,
    `${failed} failed`,
    `${timedOut} timed out`,
    `${skipped} skipped`,
  ];
  return `${total}: ${parts.join(', ')}`;
}

function timeText({ runningMs, executionMs }: Statistics['time'], { averageMs }: Statistics['iterations']): string {
  const average = averageMs === null ? '' : `, ${shortDuration(averageMs)} per iteration on average`;
  return `${shortDuration(runningMs)} in total, agents ran ${shortDuration(executionMs)}${average}`;
}

function costText({ costPerCompletedLoop: { usd, loops, unknown } }: Statistics): string | undefined {
  if (loops + unknown === 0) return undefined;
  if (usd === null) return 'per completed loop unknown: the agent does not report it';
  return `$${usd.toFixed(2)} per completed loop${leftOut(unknown)}`;
}

function provenText({ proven, ended, perProvenTask }: Numbers): string | undefined {
  if (ended === 0) return undefined;
  const { costUsd, costUnknown, costUsdWithFailures, runningMs } = perProvenTask;
  const of = `${proven} of ${ended} that ended`;
  if (runningMs === null) return of;
  const cost = costUsd === null ? 'at an unknown cost' : `for $${costUsd.toFixed(2)}${leftOut(costUnknown)}`;
  const all = costUsdWithFailures === null ? '' : `, $${costUsdWithFailures.toFixed(2)} with all that ended`;
  return `${of}, on average in ${shortDuration(runningMs)} ${cost}${all}`;
}

function leftOut(unknown: number): string {
  return unknown === 0 ? '' : ` (${unknown} ${unknown === 1 ? 'loop' : 'loops'} with unknown cost left out)`;
}

/** One line for each agent and model. */
function failureTexts(failures: readonly FailureCount[]): readonly string[] {
  const who = ({ agent, model }: FailureCount) => `${agent}, ${model ?? 'model unknown'}`;
  const groups = Map.groupBy(failures, who);
  return [...groups].map(
    ([name, counts]) => `${name}: ${counts.map(({ count, class: kind }) => `${count} ${kind}`).join(', ')}`,
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
