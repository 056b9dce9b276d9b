import path from 'node:path';
import { byText } from '../../base/index.ts';

const pattern = /^state_(\d{8}_\d{6})(?:_(\d{1,6}))?\.json(\.gz)?$/;

/** The parts of a backup's name. */
export interface BackupName {
  readonly name: string;
  /** `YYYYMMDD_HHMMSS`, UTC. */
  readonly stamp: string;
  /** Counts from 1 among those of one second. */
  readonly number: number;
}

/** Where a loop's backups are. */
export function backupFolder(folder: string): string {
  return path.join(folder, 'backups');
}

/** `state_20261116_101500.json`, the second one of that second `state_20261116_101500_2.json`. */
export function backupName(now: Date, number: number, compressed: boolean): string {
  return `state_${backupStamp(now)}${number === 1 ? '' : `_${number}`}.json${compressed ? '.gz' : ''}`;
}

/** The second a backup is named after. */
export function backupStamp(now: Date): string {
  return now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_');
}

/** Reads a backup's name; undefined for anything that we would not have written. */
export function parseBackupName(name: string): BackupName | undefined {
  const [, stamp, number] = pattern.exec(name) ?? [];
  return stamp === undefined ? undefined : { name, stamp, number: Number(number ?? 1) };
}

/** Puts the newest first. */
export function compareBackups(a: BackupName, b: BackupName): number {
  return byText(b.stamp, a.stamp) || b.number - a.number;
}
