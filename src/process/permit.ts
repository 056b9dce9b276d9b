import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { systemTools } from './system-tools.ts';

/** Whether keepers on this machine obey a permit: only perl's do. */
export function canObeyPermits(): boolean {
  return systemTools().perl !== '';
}

/** The seconds since this machine was started; a set clock does not change them. */
export function uptimeSeconds(): number {
  try {
    return Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
  } catch {
    // As the keeper does where there is no such file.
    return Date.now() / 1_000;
  }
}

/** Permits the agents of a permit file to run until then, in seconds of `uptimeSeconds`; 0 takes their permit away. */
export function permitUntil(file: string, seconds: number): void {
  const next = `${file}.${process.pid}.tmp`;
  writeFileSync(next, `${seconds.toFixed(2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}
