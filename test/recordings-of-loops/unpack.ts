import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A recorded loop in a separate folder: `tree` is its working directory, `.ralph` its state folder. */
export interface UnpackedLoop {
  readonly project: string;
  readonly loopId: string;
  /** The loop's own folder. */
  readonly folder: string;
}

/** The formats with recordings, oldest first. */
export const formats = ['format-1', 'format-2'] as const;

export type Format = (typeof formats)[number];

/** The loops recorded in a format. */
export function recordedLoops(format: Format): readonly string[] {
  return readdirSync(path.join(import.meta.dirname, format))
    .filter((name) => name.endsWith('.tar.gz'))
    .map((name) => name.slice(0, -'.tar.gz'.length))
    .sort();
}

/** Unpacks a recorded loop. Its owner was a process on this machine that no longer exists. */
function unpackLoop(format: Format, name: string, project: string): UnpackedLoop {
  mkdirSync(project, { recursive: true });
  execFileSync('tar', ['-xzf', path.join(import.meta.dirname, format, `${name}.tar.gz`), '-C', project]);
  const loopId = loopIdOf(name);
  const folder = path.join(project, '.ralph/loops', loopId);
  const owner = path.join(folder, 'owner.json');
  if (existsSync(owner)) {
    const note = JSON.parse(readFileSync(owner, 'utf8')) as object;
    writeFileSync(owner, JSON.stringify({ ...note, host: os.hostname() }));
  }
  return { project, loopId, folder };
}

/** The id that the loop was recorded with. */
export function loopIdOf(name: string): string {
  return `ralph-${name}-a1b2c3d4`;
}

/** Unpacks all loops of a format into one state folder; returns the last one. */
export function unpackAll(format: Format, project: string): UnpackedLoop {
  return recordedLoops(format)
    .map((name) => unpackLoop(format, name, project))
    .at(-1) as UnpackedLoop;
}

/** A recorded loop, intact or damaged. */
export interface Case {
  readonly name: string;
  readonly unpack: (project: string) => UnpackedLoop;
}

/** Every recorded loop of a format, and the damaged ones. */
export function casesOf(format: Format): readonly Case[] {
  const sound = recordedLoops(format).map((name) => ({
    name,
    unpack: (project: string) => unpackLoop(format, name, project),
  }));
  const damaged = damages.map(({ name, of, apply }) => ({
    name,
    unpack: (project: string) => {
      const loop = unpackLoop(format, of, project);
      apply(loop.folder);
      return loop;
    },
  }));
  return [...sound, ...damaged];
}

interface Damage {
  readonly name: string;
  /** The name of the recorded loop to damage. */
  readonly of: string;
  readonly apply: (folder: string) => void;
}

/** Damage that occurs on real disks. */
const damages: readonly Damage[] = [
  { name: 'torn tail', of: 'killed', apply: (folder) => shorten(segmentIn(folder), 7) },
  { name: 'flipped bit', of: 'paused', apply: (folder) => flipBit(segmentIn(folder)) },
  { name: 'cut snapshot', of: 'paused', apply: (folder) => truncateSync(path.join(folder, 'state.json'), 2000) },
  { name: 'missing snapshot', of: 'paused', apply: (folder) => remove(folder, 'state.json') },
  { name: 'missing journal', of: 'paused', apply: (folder) => remove(folder, 'journal') },
  { name: 'only a journal', of: 'paused', apply: (folder) => remove(folder, 'state.json', 'checkpoints', 'backups') },
  {
    name: 'only a journal with a flipped bit',
    of: 'paused',
    apply: (folder) => {
      remove(folder, 'state.json', 'checkpoints', 'backups');
      flipBit(segmentIn(folder));
    },
  },
  { name: 'nothing sound', of: 'paused', apply: spoilEverything },
  { name: 'newer format', of: 'paused', apply: (folder) => claimFormat(folder, 99) },
];

function segmentIn(folder: string): string {
  return path.join(folder, 'journal/0001-0001.jsonl');
}

function shorten(file: string, bytes: number): void {
  truncateSync(file, readFileSync(file).byteLength - bytes);
}

function flipBit(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.byteLength >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(file, bytes);
}

function remove(folder: string, ...names: readonly string[]): void {
  for (const name of names) rmSync(path.join(folder, name), { recursive: true });
}

function spoilEverything(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /journal|checkpoints|backups|state\.json/.test(path.join(entry.parentPath, entry.name)))
      writeFileSync(path.join(entry.parentPath, entry.name), 'x\n');
  }
}

function claimFormat(folder: string, format: number): void {
  const file = path.join(folder, 'state.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"format": \d+/, `"format": ${format}`));
}
