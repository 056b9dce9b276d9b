import path from 'node:path';
import {
  type ArchiveReport,
  archiveLoop,
  type BackupReport,
  backUpLoop,
  type PushedTarget,
  placeOf,
  pushLoop,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import { listenForInterrupt } from '../interrupt-signal.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { textOf } from '../text-option.ts';
import { consentFor } from '../trust/consent.ts';
import { trustedSettings } from '../trust/settings.ts';
import { bytesText } from '../words/bytes.ts';

/** `ralphd backup`: copies a loop's state or the whole loop, or looks after its copies elsewhere. */
export async function backupCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const [first, second] = args;
  if (first === 'verify' || first === 'drill') {
    const { checkBackups } = await import('./backup-check.ts');
    return await checkBackups(first, invocation, surroundings);
  }
  refuse(options, ['from', 'identity', 'endpoint', 'region'], 'verify');
  if (first === 'push') return await push(invocation, surroundings);
  if (second !== undefined) throw new LoopError(failures.tooManyArguments('backup', second));
  if (options['to'] !== undefined) return await archive(invocation, surroundings);
  refuse(options, ['recipient', 'passphrase-file'], '--to');
  return await copyState(invocation, surroundings);
}

async function copyState(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { config } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const dryRun = options['dry-run'] === true;
  const report = backUpLoop(place, args[0], { dryRun, fallback: config.persistence });
  const { stdout, cwd } = surroundings;
  stdout.write(options['json'] === true ? jsonLine(report) : `${sentence(report, cwd)}\n`);
  return exitCodes.completed;
}

function sentence({ loopId, file, bytes, removed }: BackupReport, cwd: string): string {
  if (file === undefined) return `${loopId}: ${bytes} bytes would be backed up.`;
  const removedText =
    removed.length === 0 ? '' : ` Removed ${removed.length} older ${removed.length === 1 ? 'backup' : 'backups'}.`;
  return `${loopId} was backed up to ${path.relative(cwd, file)}.${removedText}`;
}

async function archive(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd } = surroundings;
  refuse(options, ['dry-run'], 'the state of a loop');
  const { config } = await settingsFor(invocation, surroundings);
  const recipients = options['recipient'];
  const report = await archiveLoop(placeOf(config, projectFolder(invocation, surroundings)), args[0], {
    cwd,
    to: String(options['to']),
    recipients: Array.isArray(recipients) ? recipients : [],
    passphraseFile: textOf(options['passphrase-file']),
  });
  if (options['json'] === true) stdout.write(jsonLine(report));
  else {
    const { loopId, file, bytes } = report;
    const where = `${path.relative(cwd, file)} (${bytesText(bytes)})`;
    stdout.write(scrub(`${loopId} was written to ${where}. ${protectionOf(report)}\n`));
  }
  return exitCodes.completed;
}

function protectionOf({ isEncrypted, isLoopEncrypted, clear }: ArchiveReport): string {
  if (isEncrypted) return 'It is encrypted.';
  if (!isLoopEncrypted) return 'It is not encrypted: whoever has the file can read it.';
  const except = clear.length === 0 ? '' : `, except ${clear.join(', ')}`;
  return `The loop's files in it are encrypted with the key of the loop${except}; the archive itself is not.`;
}

async function push(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, env } = surroundings;
  refuse(options, ['to', 'recipient', 'passphrase-file', 'dry-run'], 'a new archive');
  const { config } = await trustedSettings(invocation, surroundings);
  using interrupt = listenForInterrupt();
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const report = await pushLoop(place, args[1], {
    env,
    signal: interrupt.signal,
    consent: consentFor(invocation, surroundings),
  });
  if (options['json'] === true) stdout.write(jsonLine(report));
  else
    stdout.write(
      scrub(
        [...report.targets.map((target) => pushed(report.loopId, target)), ...report.notes]
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
  return report.targets.some(({ why }) => why !== undefined) ? exitCodes.failed : exitCodes.completed;
}

function pushed(loopId: string, { target, last, why }: PushedTarget): string {
  if (why !== undefined) return `✗ ${target}: ${why}`;
  if (last === undefined) return `✗ ${target}: nothing was backed up.`;
  return `✓ ${target}: ${loopId} is backed up to fact ${last.seq} (backup ${last.name}, ${bytesText(last.bytes)} sent).`;
}

function refuse(options: Invocation['options'], names: readonly string[], what: string): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw new LoopError(failures.badValue(`--${given}`, `used only with ${what}`, 'given without it'));
}
