import path from 'node:path';
import { type ImportReport, importLoops, placeOf } from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import { type ForeignSystem, foreignSystems } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd import`: makes loops of other systems loops of ralphd, paused where they stopped. */
export async function importCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const from = systemIn(options['from']);
  const { config } = await settingsFor(invocation, surroundings);
  const { cwd, stdout } = surroundings;
  const reports = await importLoops(placeOf(config, projectFolder(invocation, surroundings)), {
    path: path.resolve(cwd, args[0] ?? ''),
    from,
    dryRun: options['dry-run'] === true,
    config,
    context: appContext(surroundings),
  });
  if (options['json'] === true) stdout.write(jsonLine({ loops: reports }));
  else
    printLines(
      stdout,
      reports.flatMap((report) => lines(report, paintFor(stdout))),
    );
  return exitCodes.completed;
}

function systemIn(word: Invocation['options'][string] | undefined): ForeignSystem | undefined {
  if (word === undefined || word === 'auto') return undefined;
  const found = foreignSystems.find((system) => system === word);
  if (found !== undefined) return found;
  throw new LoopError(failures.badValue('--from', `one of auto, ${foreignSystems.join(', ')}`, `"${String(word)}"`));
}

function lines(report: ImportReport, paint: Paint): readonly string[] {
  const { file, from, mapped, kept, warnings, status, loopId, dryRun, result } = report;
  const next = status === 'paused' ? `ralphd resume ${loopId}` : `ralphd status ${loopId}`;
  return [
    `${paint.bold(scrub(file))}: ${headline(report)}`,
    `  ${paint.dim('status'.padEnd(9))} ${status}, was ${scrub(report.foreignStatus)}; iteration ${report.iteration}${limitText(report)}`,
    `  ${paint.dim('task'.padEnd(9))} ${oneLine(report.task, 100)}`,
    ...groupByTarget(mapped).map(
      ([to, names]) => `  ${paint.dim('field'.padEnd(9))} ${scrub(names.join(', '))} -> ${to}`,
    ),
    ...(kept.length === 0
      ? []
      : [`  ${paint.dim('kept'.padEnd(9))} ${scrub(kept.join(', '))} (for an export to ${from})`]),
    ...warnings.map((warning) => `  ${paint.warn(`! ${oneLine(warning, 300)}`)}`),
    ...(dryRun && result === 'imported' ? [] : [`  ${paint.dim('next'.padEnd(9))} ${next}`]),
  ];
}

function headline({ result, dryRun, from, loopId }: ImportReport): string {
  if (result === 'imported') return `${dryRun ? 'would become' : 'is now'} the loop ${loopId} (${from})`;
  const known = `was imported before as ${loopId} (${from}); nothing was changed`;
  return result === 'known' ? known : `${known}, although the file has changed since`;
}

function limitText({ maxIterations }: ImportReport): string {
  return maxIterations === 0 ? ', no limit' : ` of ${maxIterations}`;
}

function groupByTarget(mapped: ImportReport['mapped']): readonly (readonly [string, readonly string[]])[] {
  const groups = Map.groupBy(mapped, ({ to }) => to);
  return [...groups].map(([to, fields]) => [to, [...new Set(fields.map(({ from }) => from))]]);
}
