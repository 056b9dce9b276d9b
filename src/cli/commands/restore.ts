import path from 'node:path';
import { placeOf, type RestoreReport, restoreLoop } from '../../app/index.ts';
import { failures, LoopError, scrub } from '../../base/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { trustedSettings } from '../trust/settings.ts';
import { restoreWhole, wholeSource } from './restore-whole.ts';

/** `ralphd restore`: restores a loop from a checkpoint or backup. */
export async function restoreCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd } = surroundings;
  const from = options['from'];
  if (typeof from !== 'string') throw new LoopError(failures.missingArgument('--from FILE|PLACE|latest', 'restore'));
  const { config } = await trustedSettings(invocation, surroundings);
  const source = await wholeSource(from, config, cwd);
  if (source !== undefined) return await restoreWhole(source, { invocation, surroundings, config });
  const [query] = args;
  if (query === undefined && from.includes(path.sep))
    throw new LoopError(failures.backupNotFound(from, 'archive or backups of loops'));
  if (query === undefined) throw new LoopError(failures.missingArgument('ID', 'restore'));
  const dryRun = options['dry-run'] === true;
  const report = await restoreLoop(placeOf(config, projectFolder(invocation, surroundings)), query, {
    from,
    cwd,
    dryRun,
  });
  if (options['json'] === true) stdout.write(jsonLine(report));
  else stdout.write(scrub(`${lines(report, cwd).join('\n')}\n`));
  return 0;
}

function lines(report: RestoreReport, cwd: string): readonly string[] {
  const { loopId, dryRun, from, status, iteration, supersededFacts, superseded } = report;
  const file = path.relative(cwd, from);
  const facts = `${supersededFacts} later ${supersededFacts === 1 ? 'fact' : 'facts'}`;
  if (dryRun)
    return [
      `${loopId} would be ${status} at iteration ${iteration}, restored from ${file}; ${facts} would be set aside.`,
    ];
  return [
    `${loopId} is ${status} at iteration ${iteration}, restored from ${file}. Resume: ralphd resume ${loopId}`,
    `${facts} ${supersededFacts === 1 ? 'was' : 'were'} set aside; nothing was deleted.`,
    ...superseded.map((name) => `  kept: ${name}`),
  ];
}
