import path from 'node:path';
import { type BackupReport, backUpLoop, placeOf } from '../../app/index.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd backup`: copies a loop's state. */
export async function backupCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { config } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const dryRun = options['dry-run'] === true;
  const report = backUpLoop(place, args[0], { dryRun, fallback: config.persistence });
  const { stdout, cwd } = surroundings;
  stdout.write(options['json'] === true ? jsonLine(report) : `${sentence(report, cwd)}\n`);
  return 0;
}

function sentence({ loopId, file, bytes, removed }: BackupReport, cwd: string): string {
  if (file === undefined) return `${loopId}: ${bytes} bytes would be backed up.`;
  const removedText =
    removed.length === 0 ? '' : ` Removed ${removed.length} older ${removed.length === 1 ? 'backup' : 'backups'}.`;
  return `${loopId} was backed up to ${path.relative(cwd, file)}.${removedText}`;
}
