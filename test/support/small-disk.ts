import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Project } from './project.ts';

/** Puts the project's state on a disk of its own that holds two megabytes; false where that cannot be done. */
export function mountSmallDisk(project: Project): boolean {
  const place = path.join(project.folder, '.ralph');
  mkdirSync(place);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', place], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', place], { stdio: 'ignore' }));
  return true;
}
