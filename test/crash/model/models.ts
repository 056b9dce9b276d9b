import type { Random } from '../../simulation/random.ts';
import { isSafe, pagesKept, sectorsKept, tornWrites } from './contents.ts';
import { copyOf, type FileLife, follow, type NameChange, type Replay, type Target } from './replay.ts';

/** How much unsynced data a disk may lose or reorder. */
export type ModelName = 'ordered' | 'ext4-like' | 'weak';

/** The models, from the most reliable disk to the least reliable. */
export const modelNames: readonly ModelName[] = ['ordered', 'ext4-like', 'weak'];

/** One independent choice of a crash, with its options. */
export type Axis =
  | { readonly of: 'content'; readonly file: FileLife; readonly options: readonly Buffer[] }
  /** A name change that is saved completely, not at all, or only in its first steps. */
  | { readonly of: 'change'; readonly change: NameChange; readonly options: readonly number[] }
  /** How many name changes were saved, in order. */
  | { readonly of: 'prefix'; readonly changes: readonly NameChange[]; readonly options: readonly number[] };

/** What a crash at one moment can leave open; everything else is certain. */
export interface Choices {
  readonly names: ReadonlyMap<string, ReadonlyMap<string, Target>>;
  readonly axes: readonly Axis[];
}

/** The legal images after a crash at this point, as independent choices. */
export function choicesOf(
  model: ModelName,
  replay: Replay,
  means: { readonly random: Random; readonly stale: Buffer },
): Choices {
  switch (model) {
    case 'ordered':
      return ordered(replay, means.random);
    case 'ext4-like':
      return journalled(replay);
    case 'weak':
      return weak(replay, means);
  }
}

function ordered(replay: Replay, random: Random): Choices {
  const names = copyOf(replay.committed);
  for (const change of replay.uncommitted) follow(names, change);
  const { lastWrite } = replay;
  if (!lastWrite) return { names, axes: [] };
  const options = tornWrites(lastWrite.file, lastWrite.bytes, random);
  return { names, axes: [{ of: 'content', file: lastWrite.file, options }] };
}

function journalled(replay: Replay): Choices {
  const { committed, uncommitted } = replay;
  const options = Array.from({ length: uncommitted.length + 1 }, (_, count) => uncommitted.length - count);
  const axes: Axis[] = uncommitted.length > 0 ? [{ of: 'prefix', changes: uncommitted, options }] : [];
  for (const file of looseFiles(committed, uncommitted)) axes.push({ of: 'content', file, options: pagesKept(file) });
  return { names: committed, axes };
}

function weak(replay: Replay, means: { readonly random: Random; readonly stale: Buffer }): Choices {
  const { synced, loose } = replay;
  const axes: Axis[] = loose.map((change) => ({
    of: 'change',
    change,
    options: Array.from({ length: change.steps.length + 1 }, (_, steps) => change.steps.length - steps),
  }));
  for (const file of looseFiles(synced, loose)) {
    axes.push({ of: 'content', file, options: sectorsKept(file, means.random, means.stale) });
  }
  return { names: synced, axes };
}

function looseFiles(
  names: ReadonlyMap<string, ReadonlyMap<string, Target>>,
  changes: readonly NameChange[],
): readonly FileLife[] {
  const found = new Set<FileLife>();
  const consider = (target: Target | undefined) => {
    if (target !== undefined && target !== 'folder' && !isSafe(target)) found.add(target);
  };
  for (const folder of names.values()) for (const target of folder.values()) consider(target);
  for (const change of changes) for (const { target } of change.steps) consider(target);
  return [...found];
}
