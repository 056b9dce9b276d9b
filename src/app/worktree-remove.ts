import path from 'node:path';
import type { Loop } from '../core/index.ts';
import type { Worktree } from '../protocol/index.ts';
import {
  branchTip,
  deleteBranch,
  hasWorktree,
  isContained,
  isReadError,
  removeWorktree,
  uncommittedFiles,
} from '../workspace/index.ts';
import { readLanding } from './land-record.ts';

/** What became of the worktree and the branch of a loop. */
export interface WorktreeRemoval {
  readonly removed: readonly string[];
  /** What was left as it is, and why. */
  readonly kept: readonly { readonly what: string; readonly why: string }[];
}

/** Which loop, and how much may be lost. */
export interface WorktreeRemovalRequest {
  readonly loop: Loop;
  /** The folder with the state of the loop. */
  readonly folder: string;
  /** A folder of the repository that stays. */
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  /** Also what has not landed or is not committed. */
  readonly force: boolean;
  readonly dryRun?: boolean;
  /** The folder in which the user is: a worktree is not removed from under it. */
  readonly cwd?: string;
}

const nothing: WorktreeRemoval = { removed: [], kept: [] };

/** Removes the worktree and the branch of a loop when nothing of its work can be lost; else keeps and names them. */
export async function dropWorktree(request: WorktreeRemovalRequest): Promise<WorktreeRemoval> {
  const { loop, repository, env, dryRun } = request;
  const { worktree } = loop.origin;
  if (worktree === undefined) return nothing;
  try {
    const isThere = await hasWorktree(repository, worktree.path, env);
    const tip = await branchTip(repository, worktree.branch, env);
    const names = [...(isThere ? [worktree.path] : []), ...(tip === undefined ? [] : [worktree.branch])];
    if (names.length === 0) return nothing;
    const found = { worktree, isThere, tip };
    const why = await whyKept(found, request);
    if (why !== undefined) return { removed: [], kept: names.map((what) => ({ what, why })) };
    if (dryRun !== true) await remove(found, request);
    return { removed: names, kept: [] };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return { removed: [], kept: [{ what: worktree.path, why: error.message }] };
  }
}

interface Found {
  readonly worktree: Worktree;
  readonly isThere: boolean;
  /** The commit of its branch; undefined if the branch is gone. */
  readonly tip: string | undefined;
}

/** Why a worktree is kept, as a part of a sentence; undefined if its work is all in the branch that it started from. */
async function whyKept({ worktree, isThere, tip }: Found, request: WorktreeRemovalRequest) {
  const { env, cwd, force } = request;
  const { path: top } = worktree;
  if (cwd !== undefined && isWithin(top, cwd)) return 'you are in it';
  if (force) return undefined;
  if (isThere && (await uncommittedFiles(top, env)).length > 0) return 'it has uncommitted changes';
  return tip === undefined || (await hasLanded(worktree, tip, request)) ? undefined : 'it has not landed';
}

async function hasLanded(
  { baseBranch }: Worktree,
  tip: string,
  { folder, repository, env }: WorktreeRemovalRequest,
): Promise<boolean> {
  const record = readLanding(folder);
  if (record?.state === 'landed' && record.tip === tip) return true;
  const base = baseBranch === undefined ? undefined : await branchTip(repository, baseBranch, env);
  return base !== undefined && (await isContained(repository, { commit: tip, within: base }, env));
}

async function remove({ worktree, isThere, tip }: Found, { repository, env, force }: WorktreeRemovalRequest) {
  const { path: top, branch } = worktree;
  if (isThere) await removeWorktree(repository, { path: top, force }, env);
  if (tip !== undefined) await deleteBranch(repository, { branch, tip }, env);
}

function isWithin(top: string, folder: string): boolean {
  const relative = path.relative(top, folder);
  return relative === '' || !(relative.startsWith('..') || path.isAbsolute(relative));
}
