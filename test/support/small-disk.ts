import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Project } from './project.ts';

/** Puts the project's state on a separate disk of two megabytes; false if that is not possible. */
export function mountSmallDisk(project: Project): boolean {
  const place = path.join(project.folder, '.ralph');
  mkdirSync(place);
  return mountDisk(place, '2m');
}

/** Puts a disk of a size on a folder; false if that is not possible. */
export function mountDisk(place: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', place], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', place], { stdio: 'ignore' }));
  return true;
}

/** Makes the project's folder itself read-only; its contents stay writable. False if that is not possible. */
export function makeReadOnly(project: Project): boolean {
  if (process.getuid?.() !== 0) {
    chmodSync(project.folder, 0o555);
    onTestFinished(() => chmodSync(project.folder, 0o755));
    return true;
  }
  try {
    // Root can write anywhere except to a disk that is mounted read-only.
    execFileSync('mount', ['--bind', project.folder, project.folder], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'remount,ro,bind', project.folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', project.folder], { stdio: 'ignore' }));
  return true;
}
