import path from 'node:path';
import type { FoundProgram } from '../../protocol/index.ts';
import { isExecutable, isReplaceable, programDigest, realPathOf, realTreeOf, versionOf } from './installed.ts';
import { isInside, withParents } from './tree.ts';

/** A program by name, and how it is searched for. */
export interface ProgramName {
  /** Relative to the work folder. */
  readonly folder: string;
  readonly name: string;
  /** `path`: as a shell does. `bin`: as a package script does. `run`: as `npx`, `uv run` and the like do. */
  readonly by: 'path' | 'bin' | 'run';
}

interface ProgramPlace {
  readonly workFolder: string;
  readonly PATH: string;
}

const installedIn = {
  path: [],
  bin: ['node_modules/.bin'],
  run: ['node_modules/.bin', '.venv/bin', 'venv/bin', 'vendor/bin'],
} as const;

/** Finds a program as the command would. For one inside the work tree, its real file counts. */
export function findProgram({ folder, name, by }: ProgramName, { workFolder, PATH }: ProgramPlace): FoundProgram {
  const hit = programFile({ folder, name, by }, { workFolder, PATH });
  if (hit === undefined) return { at: 'none' };
  const tree = realTreeOf(workFolder);
  const named = path.join(realPathOf(path.dirname(hit)) ?? path.dirname(hit), name);
  const real = realPathOf(hit) ?? hit;
  if (!isInside(tree, named)) {
    const isSafe = !isReplaceable(named) && !isReplaceable(real);
    return { at: 'outside', file: named, ...(isSafe ? {} : { digest: programDigest(real, tree, true) }) };
  }
  const version = versionOf(real);
  return {
    at: 'inside',
    file: path.relative(realPathOf(workFolder) ?? workFolder, named),
    // A program of the tree that a package script runs is the work; one that a check names is the check.
    digest: programDigest(real, tree, by === 'path'),
    ...(version === undefined ? {} : { version }),
  };
}

/** The file that a command would start. */
export function programFile({ folder, name, by }: ProgramName, { workFolder, PATH }: ProgramPlace): string | undefined {
  const from = path.resolve(workFolder, folder);
  const own = withParents(from).flatMap((place) => installedIn[by].map((each) => path.join(place, each)));
  const onPath = PATH.split(path.delimiter).map((each) => path.resolve(from, each));
  return [...own, ...onPath].map((place) => path.join(place, name)).find(isExecutable);
}

/**
 * Judges a changed program. One that is newly installed, or in another version, may be honest work; different bytes
 * under the same version are not, and neither is a file that shadows a system program.
 */
export function programChange(
  before: FoundProgram,
  now: FoundProgram,
  by: ProgramName['by'],
): 'same' | 'doubt' | 'tampered' {
  if (now.at === 'none') return before.at === 'inside' ? 'doubt' : 'same';
  if (now.at === 'outside') return outsideChange(before, now);
  if (before.at === 'none') return 'doubt';
  if (before.at === 'outside') return now.version !== undefined || by === 'run' ? 'doubt' : 'tampered';
  if (before.file === now.file && before.digest === now.digest && before.version === now.version) return 'same';
  const isUpgrade = now.version !== undefined && before.version !== undefined && now.version !== before.version;
  return isUpgrade ? 'doubt' : 'tampered';
}

function outsideChange(
  before: FoundProgram,
  now: Extract<FoundProgram, { at: 'outside' }>,
): 'same' | 'doubt' | 'tampered' {
  if (before.at === 'inside') return 'doubt';
  // A file that this user cannot replace was not replaced; guards of an earlier version lack the file.
  if (now.digest === undefined || (before.at === 'outside' && before.file === undefined)) return 'same';
  // The loop may be resumed with another PATH; a shadowing program is found by the guard of its folder.
  if (before.at === 'none' || before.file !== now.file) return 'doubt';
  return before.digest === undefined || before.digest === now.digest ? 'same' : 'tampered';
}
