import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A Node on the PATH that is too old to run ralphd itself; undefined if there is none. */
export function findOldNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'));
  return candidates.filter((file) => existsSync(file)).find((file) => Number(nodeVersion(file).slice(1, 3)) < 22);
}

/** The version that a Node reports, such as `v24.1.0`. */
export function nodeVersion(file: string): string {
  return execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
}
