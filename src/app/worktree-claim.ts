import path from 'node:path';
import { look, makeRoot, nodeCareFiles, nodeFiles, quietly, readWhole, writeFileDurably } from '../files/index.ts';
import { sqliteLock } from '../store/index.ts';
import { gitFoldersOf, toRaw, toText } from '../workspace/index.ts';
import { openStore } from './stores.ts';

/**
 * In the folder of git that all work trees share: a worktree that is being created for a loop that does not exist yet. The
 * process that creates it holds the lock beside the claim, so that a claim whose lock is free was left by one that died.
 */
export interface WorktreeClaim {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  /** The commit that the branch starts from. */
  readonly commit: string;
  /** Whether git had created the worktree completely. */
  readonly isCreated: boolean;
  /** The state folder of the loop. */
  readonly root: string;
  readonly loopId: string;
}

/** The right to create a worktree of a name; released on disposal. */
export interface HeldClaim extends Disposable {
  /** Replaces the claim, durably. */
  write(claim: WorktreeClaim): void;
  /** Removes the claim: the loop exists, or nothing is left of its worktree. */
  settle(): void;
}

const maxBytes = 64 * 1024;

/** Holds the name of a worktree while it is created; undefined if another process does. */
export function holdClaim(mainTop: string, name: string): HeldClaim | undefined {
  const folder = claimsFolder(mainTop);
  makeRoot(nodeFiles, folder);
  const lock = path.join(folder, `${name}.lock`);
  quietly(() => nodeFiles.close(nodeFiles.create(lock)));
  const before = look(nodeFiles, lock)?.inode;
  const held = sqliteLock.tryHold(lock);
  if (held === undefined) return undefined;
  if (before === undefined || look(nodeFiles, lock)?.inode !== before) {
    held.release();
    return undefined;
  }
  return {
    write: (claim) => writeFileDurably(nodeFiles, claimFile(folder, name), Buffer.from(`${JSON.stringify(claim)}\n`)),
    settle: () => quietly(() => nodeFiles.remove(claimFile(folder, name))),
    [Symbol.dispose]: () => {
      quietly(() => nodeFiles.remove(lock));
      held.release();
      quietly(() => nodeCareFiles.removeFolder(folder));
    },
  };
}

/** What a process that died while it created a worktree left, if its loop does not exist. Only with the name held. */
export function leftClaim(mainTop: string, name: string): WorktreeClaim | undefined {
  const claim = readClaim(claimFile(claimsFolder(mainTop), name));
  return claim === undefined || openStore(claim).has(claim.loopId) ? undefined : claim;
}

/** The worktrees of a repository that were left without a loop. */
export function leftClaims(top: string): readonly WorktreeClaim[] {
  const folder = claimsFolder(top);
  if (look(nodeFiles, folder)?.kind !== 'folder') return [];
  const names = nodeFiles.list(folder).flatMap((file) => /^(?!\.)(.+)\.json$/.exec(file)?.[1] ?? []);
  return names.toSorted().flatMap((name) => {
    const claim = leftClaim(top, name);
    return claim === undefined || isHeld(path.join(folder, `${name}.lock`)) ? [] : [claim];
  });
}

function isHeld(lock: string): boolean {
  if (look(nodeFiles, lock) === undefined) return false;
  const held = sqliteLock.tryHold(lock);
  held?.release();
  return held === undefined;
}

function claimsFolder(top: string): string {
  return path.join(toText(gitFoldersOf(toRaw(top)).shared), 'ralphd-worktrees');
}

function claimFile(folder: string, name: string): string {
  return path.join(folder, `${name}.json`);
}

const texts = ['name', 'path', 'branch', 'commit', 'root', 'loopId'] as const;

function readClaim(file: string): WorktreeClaim | undefined {
  let claim: unknown;
  quietly(() => {
    claim = JSON.parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
  });
  return isClaim(claim) ? claim : undefined;
}

function isClaim(value: unknown): value is WorktreeClaim {
  if (typeof value !== 'object' || value === null) return false;
  return texts.every((name) => typeof Reflect.get(value, name) === 'string');
}
