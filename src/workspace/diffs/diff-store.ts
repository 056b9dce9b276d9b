import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { hasFolder, makeFolders, nodeFiles } from '../../files/index.ts';
import { absent, type Content } from '../content.ts';
import { digestOf, type Fingerprint } from '../fingerprint.ts';
import { git, type PrivateRepository } from '../git.ts';
import { isUnder, join, type RawPath, toBytes, toText } from '../raw-path.ts';
import { createTurns } from '../turns.ts';
import { isReadError } from '../unreadable.ts';
import { type DiffTrees, readStat } from './diff-reader.ts';
import { createLooseBlobs, type LooseBlobs } from './loose-blobs.ts';
import { type DiffPlace, openRepository } from './repository.ts';

type GitFingerprint = Extract<Fingerprint, { kind: 'git' }>;

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
  // The state after a run is that before the next.
  let latest: { readonly digest: string; readonly tree: string } | undefined;

  const treeOf = async (fingerprint: GitFingerprint, repository: PrivateRepository) => {
    const digest = digestOf(fingerprint);
    const { has, contentOf } = keeper.stored(fingerprint.algorithm);
    if (latest?.digest === digest && has(latest.tree)) return latest.tree;
    const tree = await writeTree(fingerprint, { repository, env: place.env, contentOf });
    latest = { digest, tree };
    return tree;
  };
  const compare = async (before: Fingerprint, after: Fingerprint): Promise<KeptDiff | undefined> => {
    if (before.kind !== 'git' || after.kind !== 'git') return undefined;
    if (before.root !== after.root || before.algorithm !== after.algorithm) return undefined;
    await keeper.keep(after);
    using open = await openRepository(place, after.algorithm);
    const { repository } = open;
    const trees = { before: await treeOf(before, repository), after: await treeOf(after, repository) };
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
  const open = (algorithm: string): LooseBlobs => {
    // Both refuse links at any level: nothing may lead out of the loop's folder. An agent may have removed the folder.
    if (!hasFolder(nodeFiles, within, objects)) makeFolders(nodeFiles, within, objects);
    return createLooseBlobs([objects, ...alternates], algorithm);
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

interface TreeWriting {
  readonly repository: PrivateRepository;
  readonly env: NodeJS.ProcessEnv;
  readonly contentOf: (work: Content) => Content;
}

/** The tree of a state: that of its commit, with every path that differs from it, and without ralphd's own files. */
async function writeTree(fingerprint: GitFingerprint, { repository, env, contentOf }: TreeWriting): Promise<string> {
  const { head, root, excluded, differing, algorithm } = fingerprint;
  const indexFile = path.join(repository.folder, 'index');
  const run = async (args: readonly string[], input?: Buffer) =>
    await git(repository.folder, { args, env, repository, indexFile, timeoutMs, ...(input && { input }) });
  await run(head === null ? ['read-tree', '--empty'] : ['read-tree', head]);
  const ours = excluded.filter((place) => isUnder(place, [root])).map((place) => toText(place.slice(root.length + 1)));
  const tracked = ours.length === 0 ? Buffer.alloc(0) : await run(['ls-files', '-z', '--', ...ours.map(literally)]);
  const zero = '0'.repeat(algorithm === 'sha256' ? 64 : 40);
  const entries: readonly (readonly [RawPath, Content])[] = [
    ...namesIn(tracked).map((file) => [file, absent] as const),
    ...[...differing].map(([file, { work }]) => [file, contentOf(work)] as const),
  ];
  const lines = entries.map(([file, content]) => `${content === absent ? `0 ${zero}` : content}\t${file}\0`);
  // What is removed comes first: a folder may take the place of a file.
  const sorted = [...lines.filter(isRemoval), ...lines.filter((line) => !isRemoval(line))];
  if (sorted.length > 0) await run(['update-index', '-z', '--index-info'], toBytes(sorted.join('')));
  return (await run(['write-tree', '--missing-ok'])).toString().trim();
}

function literally(place: string): string {
  return `:(top,literal)${place}`;
}

function namesIn(listed: Buffer): readonly RawPath[] {
  return listed
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}

function isRemoval(line: string): boolean {
  return line.startsWith('0 ');
}
