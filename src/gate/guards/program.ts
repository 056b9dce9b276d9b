import path from 'node:path';
import type { FoundProgram } from '../../protocol/index.ts';
import { isExecutable, isReplaceable, programDigest, realOf, versionOf } from './installed.ts';
import { foldersUp, isInside, treeOf } from './tree.ts';

/** Which program a word stands for, and where it is looked for. */
export interface ProgramName {
  /** Seen from the work folder. */
  readonly folder: string;
  readonly name: string;
  /** `path`: as a shell does. `bin`: as a package script does. `run`: as `npx`, `uv run` and the like do. */
  readonly by: 'path' | 'bin' | 'run';
}

/** Where a search begins, and the folders that a shell searches. */
export interface ProgramPlace {
  readonly workFolder: string;
  readonly PATH: string;
}

const installedIn = {
  path: [],
  bin: ['node_modules/.bin'],
  run: ['node_modules/.bin', '.venv/bin', 'venv/bin', 'vendor/bin'],
} as const;

/** Finds a program as the command would. Of one inside the work tree the file that it leads to counts. */
export function findProgram({ folder, name, by }: ProgramName, { workFolder, PATH }: ProgramPlace): FoundProgram {
  const hit = programFile({ folder, name, by }, { workFolder, PATH });
  if (hit === undefined) return { at: 'none' };
  const tree = realOf(treeOf(workFolder)) ?? workFolder;
  const named = path.join(realOf(path.dirname(hit)) ?? path.dirname(hit), name);
  const real = realOf(hit) ?? hit;
  if (!isInside(tree, named)) {
    const isSafe = !isReplaceable(named) && !isReplaceable(real);
    return { at: 'outside', file: named, ...(isSafe ? {} : { digest: programDigest(real, workFolder, true) }) };
  }
  const version = versionOf(real);
  return {
    at: 'inside',
    file: path.relative(realOf(workFolder) ?? workFolder, named),
    // What a package script runs of the tree itself is the work; what a check names is the check.
    digest: programDigest(real, workFolder, by === 'path'),
    ...(version === undefined ? {} : { version }),
  };
}

/** The file that a command would start. */
export function programFile({ folder, name, by }: ProgramName, { workFolder, PATH }: ProgramPlace): string | undefined {
  const from = path.resolve(workFolder, folder);
  const own = foldersUp(from).flatMap((place) => installedIn[by].map((each) => path.join(place, each)));
  const onPath = PATH.split(path.delimiter).map((each) => path.resolve(from, each));
  return [...own, ...onPath].map((place) => path.join(place, name)).find(isExecutable);
}

/**
 * What it means that a program is another one. One that was installed only now, or in another version, may be honest
 * work; other bytes under the same version are not, nor is a file that takes the place of a program of the system.
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
  // What nobody here can replace was not replaced; a guard of an earlier version does not say what it was.
  if (now.digest === undefined || (before.at === 'outside' && before.file === undefined)) return 'same';
  // Whoever resumes a loop may have another PATH; a program that takes the place of one is found by its folder.
  if (before.at === 'none' || before.file !== now.file) return 'doubt';
  return before.digest === undefined || before.digest === now.digest ? 'same' : 'tampered';
}
