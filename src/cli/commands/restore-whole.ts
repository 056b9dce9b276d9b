import path from 'node:path';
import {
  holdsArchive,
  keysFrom,
  namesPlace,
  openPlace,
  placeOf,
  type RestoredReport,
  restoreArchive,
  restoreBackup,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { listenForInterrupt } from '../interrupt-signal.ts';
import { localMinute } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { textOf } from '../text-option.ts';

/** Where a whole loop is; undefined for a checkpoint or a copy of its state. */
export async function wholeSource(
  from: string,
  config: LoopConfig,
  cwd: string,
): Promise<'place' | 'archive' | undefined> {
  if (namesPlace(from, config)) return 'place';
  return await holdsArchive(path.resolve(cwd, from));
}

/** `ralphd restore --from ARCHIVE|PLACE`: brings a whole loop back, also on another machine. */
export async function restoreWhole(
  source: 'place' | 'archive',
  {
    invocation,
    surroundings,
    config,
  }: { readonly invocation: Invocation; readonly surroundings: Surroundings; readonly config: LoopConfig },
): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd, env } = surroundings;
  if (options['dry-run'] === true) {
    throw new LoopError(
      failures.badValue(
        '--dry-run',
        'left out for a whole loop ("ralphd backup drill" restores into a temporary folder)',
        'given',
      ),
    );
  }
  const from = String(options['from']);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const files = { cwd, identity: textOf(options['identity']), passphraseFile: textOf(options['passphrase-file']) };
  const how = { keys: keysFrom(files), env, force: options['force'] === true };
  using interrupt = listenForInterrupt();
  const report =
    source === 'archive'
      ? await restoreArchive(place, path.resolve(cwd, from), how)
      : await restoreBackup(
          place,
          {
            target: openPlace(
              { from, endpoint: textOf(options['endpoint']), region: textOf(options['region']), cwd, env },
              config,
            ),
            signal: interrupt.signal,
          },
          { ...how, loopId: args[0], backup: textOf(options['backup']) },
        );
  stdout.write(options['json'] === true ? jsonLine(report) : scrub(`${lines(report).join('\n')}\n`));
  return exitCodes.completed;
}

function lines(report: RestoredReport): readonly string[] {
  const { loopId, status, iteration, from, backup, createdAt, lastFact, lostIteration, setAside } = report;
  const isOver = status === 'completed' || status === 'failed' || status === 'aborted' || status === 'crashed';
  const next = isOver ? `ralphd report ${loopId}` : `ralphd resume ${loopId}`;
  const at = Number.isNaN(Date.parse(createdAt)) ? createdAt : localMinute(Date.parse(createdAt));
  const lost = lostIteration === undefined ? [] : [`Iteration ${lostIteration} was under way; it is repeated.`];
  return [
    `${loopId} is ${status} after iteration ${iteration}, restored from backup ${backup} in ${from}.`,
    `It contains facts 1 to ${lastFact}, of ${at}. Whatever was recorded after fact ${lastFact} is missing.`,
    ...lost,
    ...setAside.map((folder) => `The loop that was here is now in ${folder}.`),
    'The backup contains the loop, not your files: check out the branch on which it worked.',
    `Next: ${next}`,
  ];
}
