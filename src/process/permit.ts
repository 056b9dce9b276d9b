import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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

/** The permits of single loops: each lasts as long as that of their worker, until it is taken away. */
export interface LoopPermits {
  /** Takes all permits away but those of these loops, whose agents the next owner here adopts. */
  keepOnly(loopIds: readonly string[]): void;
  /** The file for the agents of an owner. Those that an earlier owner left on this machine and nobody adopts are killed. */
  fileFor(loopId: string, epoch: number): string;
}

/** Keeps the permits of loops in a folder, as links to that of their worker. */
export function openLoopPermits(folder: string, permitFile: string): LoopPermits {
  const kept = new Set<string>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const all = () => readdirSync(folder).map((name) => ({ name, loopId: name.slice(0, name.lastIndexOf('.')) }));
  const revoke = (name: string) => rmSync(path.join(folder, name), { force: true });
  return {
    keepOnly(loopIds) {
      kept.clear();
      for (const loopId of loopIds) kept.add(loopId);
      for (const { name, loopId } of all()) if (!kept.has(loopId)) revoke(name);
    },
    fileFor(loopId, epoch) {
      const earlier = all().filter((each) => each.loopId === loopId);
      const [adopted] = kept.delete(loopId) ? earlier : [];
      if (adopted !== undefined) return path.join(folder, adopted.name);
      for (const { name } of earlier) revoke(name);
      const file = path.join(folder, `${loopId}.${epoch}`);
      symlinkSync(permitFile, file);
      return file;
    },
  };
}
