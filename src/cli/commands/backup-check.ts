import {
  type Drill,
  drillBackup,
  keysFrom,
  openPlace,
  placeOf,
  type Verification,
  verifyPlace,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import { backupTargetName, type LoopConfig } from '../../protocol/index.ts';
import { listenForInterrupt } from '../interrupt-signal.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { textOf } from '../text-option.ts';
import { trustedSettings } from '../trust/settings.ts';
import { bytesText } from '../words/bytes.ts';

/** `ralphd backup verify` and `ralphd backup drill`: whether backups can be relied on. */
export async function checkBackups(
  action: 'verify' | 'drill',
  invocation: Invocation,
  surroundings: Surroundings,
): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd, env } = surroundings;
  const { config } = await trustedSettings(invocation, surroundings);
  const from = textOf(options['from']) ?? onlyTarget(config);
  const [endpoint, region] = [textOf(options['endpoint']), textOf(options['region'])];
  const keys = keysFrom({
    cwd,
    identity: textOf(options['identity']),
    passphraseFile: textOf(options['passphrase-file']),
  });
  using interrupt = listenForInterrupt();
  const reading = { target: openPlace({ from, endpoint, region, cwd, env }, config), signal: interrupt.signal };
  const asJson = options['json'] === true;
  if (action === 'drill') {
    const drill = await drillBackup(placeOf(config, projectFolder(invocation, surroundings)), reading, {
      query: args[1],
      keys,
    });
    stdout.write(asJson ? jsonLine(drill) : scrub(`${drillText(drill)}\n`));
    return drill.differing.length === 0 ? exitCodes.completed : exitCodes.failed;
  }
  const found = await verifyPlace(reading, args[1], keys);
  if (asJson) stdout.write(jsonLine({ from: reading.target.where, loops: found }));
  else
    stdout.write(
      scrub(`${found.flatMap(verifiedLines).join('\n') || `${reading.target.where} contains no backups.`}\n`),
    );
  const isSound = found.every(({ damaged, intact }) => damaged.length === 0 && intact.length > 0);
  return isSound ? exitCodes.completed : exitCodes.failed;
}

/** The target that is meant when none is named. */
function onlyTarget({ backup: { targets } }: LoopConfig): string {
  const [only, ...others] = targets.map(backupTargetName);
  if (only === undefined) throw new LoopError(failures.noBackupTargets());
  if (others.length > 0)
    throw new LoopError(failures.missingArgument(`--from ${[only, ...others].join('|')}`, 'backup'));
  return only;
}

function verifiedLines({ loopId, intact, damaged, objects, bytes, isOpened }: Verification): readonly string[] {
  const read = `${objects} objects, ${bytesText(bytes)} read`;
  const sealed = isOpened ? '' : '; their content is encrypted and was not opened (--identity FILE)';
  const newest = intact.at(-1);
  const good = newest === undefined ? 'no backup is intact' : `${intact.length} intact, the newest is ${newest}`;
  return [
    `${damaged.length === 0 ? '✓' : '✗'} ${loopId}: ${good} (${read}${sealed})`,
    ...damaged.map(({ backup, why }) => `  ✗ ${backup}: ${why}`),
  ];
}

function drillText({ loopId, backup, status, iteration, facts, files, differing, isCompared }: Drill): string {
  const restored = `${loopId}: backup ${backup} was restored into a temporary folder and read: ${status} at iteration ${iteration}, ${facts} facts, ${files} files.`;
  if (!isCompared) return `✓ ${restored} There is no such loop here to compare it with.`;
  if (differing.length === 0) return `✓ ${restored} It agrees with the loop here.`;
  return `✗ ${restored}\n${differing.map((name) => `  ✗ ${name} differs from the loop here`).join('\n')}`;
}
