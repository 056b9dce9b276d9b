import { LoopError } from '../../base/index.ts';
import { hasFolder, makeFolders, nodeFiles } from '../../files/index.ts';
import { absent, type Content } from '../content.ts';
import { digestOf, type Fingerprint } from '../fingerprint.ts';
import { join } from '../raw-path.ts';
import { createTurns } from '../turns.ts';
import { isReadError } from '../unreadable.ts';
import { type DiffTrees, readStat } from './diff-reader.ts';
import { createHeadTrees } from './head-trees.ts';
import { createLooseObjects, type LooseObjects } from './loose-objects.ts';
import { type DiffPlace, openRepository } from './repository.ts';
import { type GitFingerprint, neededFolders, writeTree } from './work-tree.ts';

/** The states of a work tree before and after a run, and how many lines differ. */
export interface KeptDiff {
  readonly trees: DiffTrees;
  readonly lines: { readonly added: number; readonly removed: number };
}

/**
 * Keeps what is needed to show later what each run changed: contents that no commit has, and the ids of trees. The
 * user's repository is only read. A loop never depends on it: where something fails, there is no diff.
 */
export interface DiffStore {
  /** Keeps the contents that a run may overwrite. */
  keep(before: Fingerprint): Promise<void>;
  /** Keeps the contents after the run as well; undefined where there is no repository or something fails. */
  compare(before: Fingerprint, after: Fingerprint): Promise<KeptDiff | undefined>;
}

const timeoutMs = 10_000;
const maxFilesAtOnce = 2_000;
const maxBytesAtOnce = 64 * 1024 * 1024;
/** For one owner of a loop. */
const maxTotalBytes = 512 * 1024 * 1024;

/** Opens the diffs of one loop; nothing is written before there is something to keep. */
export function createDiffStore(place: DiffPlace): DiffStore {
  const keeper = createKeeper(place);
  const headTrees = createHeadTrees(place.env, timeoutMs);
  // The state after a run is that before the next.
  let latest: { readonly digest: string; readonly tree: string } | undefined;

  const knownTree = (fingerprint: GitFingerprint) => {
    if (latest?.digest !== digestOf(fingerprint)) return undefined;
    return keeper.stored(fingerprint.algorithm).has(latest.tree) ? latest.tree : undefined;
  };
  const compare = async (before: Fingerprint, after: Fingerprint): Promise<KeptDiff | undefined> => {
    if (before.kind !== 'git' || after.kind !== 'git') return undefined;
    if (before.root !== after.root || before.algorithm !== after.algorithm) return undefined;
    await keeper.keep(after);
    // Git refuses a repository whose folder of objects is missing, as before the first content that is kept.
    const stored = keeper.stored(after.algorithm);
    using open = await openRepository(place, after.algorithm);
    const { repository } = open;
    const known = { before: knownTree(before), after: knownTree(after) };
    const missing = [...(known.before ? [] : [before]), ...(known.after ? [] : [after])];
    await headTrees.load(repository, missing.flatMap(neededFolders));
    const parts = { headTree: headTrees.get, ...stored };
    const trees = {
      before: known.before ?? writeTree(before, parts),
      after: known.after ?? writeTree(after, parts),
    };
    latest = { digest: digestOf(after), tree: trees.after };
    headTrees.keepOnly(after.head);
    const files = await readStat(repository, trees, place.env);
    const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + (file[side] ?? 0), 0);
    return { trees, lines: { added: sum('added'), removed: sum('removed') } };
  };
  return {
    keep: async (before) => await unlessFailed(() => keeper.keep(before)),
    compare: async (before, after) => await unlessFailed(() => compare(before, after)),
  };
}

async function unlessFailed<Result>(step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step();
  } catch (error) {
    // Git failed, the disk is full, or something else occupies the path of our files.
    if (isReadError(error) || error instanceof LoopError) return undefined;
    throw error;
  }
}

/** Keeps the contents of files, as far as there is room. */
function createKeeper({ objects, within, alternates = [] }: DiffPlace) {
  // What was too large, or came when there was no room, stays out: kept later, it would look like a change.
  const leftOut = new Set<Content>();
  let totalBytes = 0;
  const open = (algorithm: string): LooseObjects => {
    // Both refuse links at any level: nothing may lead out of the loop's folder. An agent may have removed the folder.
    if (!hasFolder(nodeFiles, within, objects)) makeFolders(nodeFiles, within, objects);
    return createLooseObjects([objects, ...alternates], algorithm);
  };
  return {
    async keep(fingerprint: Fingerprint): Promise<void> {
      if (fingerprint.kind !== 'git' || fingerprint.differing.size === 0) return;
      const blobs = open(fingerprint.algorithm);
      const turns = createTurns();
      let files = maxFilesAtOnce;
      let bytes = Math.min(maxBytesAtOnce, maxTotalBytes - totalBytes);
      for (const [file, { work }] of fingerprint.differing) {
        const id = blobIn(work);
        if (id === undefined || leftOut.has(work) || blobs.has(id)) continue;
        if (turns.isOver()) await turns.next();
        const size = files > 0 && bytes > 0 ? blobs.keepFile(join(fingerprint.root, file), work) : undefined;
        if (size === undefined) leftOut.add(work);
        files -= 1;
        bytes -= size ?? 0;
        totalBytes += size ?? 0;
      }
    },
    stored(algorithm: string) {
      const blobs = open(algorithm);
      return {
        has: blobs.has,
        keepTree: blobs.keepTree,
        /** A content as a tree entry; a binary placeholder replaces what is not kept. */
        contentOf(work: Content): Content {
          const id = blobIn(work);
          const isKept = id !== undefined && !leftOut.has(work) && blobs.has(id);
          if (isKept || work === absent || work.startsWith('160000 ')) return work;
          return `100644 ${blobs.keepBytes(Buffer.from(`\0not kept: ${work}\n`))}`;
        },
      };
    },
  };
}

/** The id of the bytes of a file or link; undefined for everything else. */
function blobIn(content: Content): string | undefined {
  return /^(?:100644|100755|120000) ([0-9a-f]+)$/.exec(content)?.[1];
}
