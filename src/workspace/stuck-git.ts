import { type Dirent, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { releaseReaders } from '../files/index.ts';
import { findGitTop, gitFoldersOf } from './git-folder.ts';
import { join, type RawPath, toBytes, toRaw } from './raw-path.ts';
import { createTurns } from './turns.ts';

/** What git opens in each folder of a work tree; in its own folders it opens anything. */
const readByGit: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
const patienceMs = 1_000;
const betweenMs = 5;
const maxFolders = 200_000;

/**
 * Git waits forever where a file that it reads is a pipe, which an agent can leave. When git takes long, this looks for such pipes,
 * and until this is disposed of, they count as empty.
 */
export function keepFromWaiting(folder: string): Disposable {
  let isOver = false;
  const release = async () => {
    const pipes = await findPipes(folder, () => isOver);
    while (!isOver && pipes.length > 0) {
      for (const pipe of pipes) releaseReaders(pipe);
      await delay(betweenMs);
    }
  };
  const timer = setTimeout(() => void release(), patienceMs).unref();
  return {
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

interface Place {
  readonly folder: RawPath;
  /** Whether git may open whatever is in there. */
  readonly isOwn: boolean;
}

async function findPipes(folder: string, isOver: () => boolean): Promise<readonly Buffer[]> {
  const top = findGitTop(folder) ?? toRaw(folder);
  const { own, shared } = gitFoldersOf(top);
  const places: Place[] = [
    { folder: top, isOwn: false },
    ...[own, shared].map((each) => ({ folder: each, isOwn: true })),
  ];
  const pipes = new Set<RawPath>();
  const turns = createTurns();
  // The list grows while it is read, so that what is near the top comes first.
  for (const place of places) {
    if (isOver() || places.length > maxFolders) break;
    if (turns.isOver()) await turns.next();
    for (const entry of entriesOf(place.folder)) {
      const at = join(place.folder, entry.name);
      const isOwn = place.isOwn || entry.name === '.git';
      if (entry.isDirectory()) places.push({ folder: at, isOwn });
      else if (entry.isFIFO() && (isOwn || readByGit.has(entry.name))) pipes.add(at);
    }
  }
  return [...pipes].map(toBytes);
}

function entriesOf(folder: RawPath): readonly Dirent[] {
  try {
    return readdirSync(toBytes(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}
