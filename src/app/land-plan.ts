import { failures, LoopError } from '../base/index.ts';
import type { Loop } from '../core/index.ts';
import type { CheckProgress, Worktree } from '../protocol/index.ts';
import {
  branchTip,
  isContained,
  isFolder,
  listWorktrees,
  type MergeMethod,
  operationUnderWay,
  realFolder,
  uncommittedFiles,
} from '../workspace/index.ts';
import type { AppContext } from './agent-programs.ts';
import { type LandingRecord, readLanding } from './land-record.ts';
import type { LoopPlace } from './stores.ts';

/** The steps of a landing. After each of them it may be interrupted, and goes on or starts over. */
export type LandingStep = 'committed' | 'merged' | 'verified' | 'intended' | 'moved' | 'landed' | 'removed';

/** What is landed, and how. */
export interface LandingRequest {
  readonly loop: Loop;
  /** The folder with the state of the loop. */
  readonly folder: string;
  readonly place: LoopPlace;
  readonly context: Pick<AppContext, 'cwd' | 'env' | 'consent'>;
  readonly method: MergeMethod;
  /** The branch that gets the work; the one that the loop started from, if missing. */
  readonly into?: string | undefined;
  /** Commit what the loop left uncommitted. */
  readonly commit: boolean;
  /** Keep the worktree and the branch. */
  readonly keep: boolean;
  /** Also a loop that has not completed. */
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Ends the checks and the landing. */
  readonly signal: AbortSignal;
  readonly onCheck?: (check: CheckProgress) => void;
  /** Where the dependencies of the checks are installed, if not where the loop works. */
  readonly dependencies?: string;
  /** Awaited after each step. */
  readonly onStep?: (step: LandingStep) => Promise<void> | void;
}

/** What is to be done. */
export interface LandingPlan {
  readonly worktree: Worktree;
  /** A folder of the repository that stays. */
  readonly repository: string;
  readonly into: string;
  /** Its commit. */
  readonly intoTip: string;
  /** The commit of the loop's branch; undefined if the branch is gone. */
  readonly tip: string | undefined;
  readonly uncommitted: readonly string[];
  /** How far an earlier landing came. */
  readonly record: LandingRecord | undefined;
  readonly isLanded: boolean;
}

/** Finds out what is to be done, and refuses what cannot be. Changes nothing. */
export async function planLanding(request: LandingRequest): Promise<LandingPlan> {
  const { loop, folder, place, context, force, commit } = request;
  const { env } = context;
  const { worktree, workingDirectory } = loop.origin;
  if (worktree === undefined) {
    throw new LoopError(
      failures.nothingToLand(loop.id, `it has no branch of its own and works in ${workingDirectory}`),
    );
  }
  const repository = place.workingDirectory;
  const record = readLanding(folder);
  const tip = await branchTip(repository, worktree.branch, env);
  if (tip === undefined && record?.state !== 'landed') {
    throw new LoopError(failures.nothingToLand(loop.id, `its branch ${worktree.branch} is gone`));
  }
  const { into, intoTip } = await targetOf(request, worktree, record);
  const uncommitted = await leftFiles(repository, worktree, env);
  const plan = { worktree, repository, into, intoTip, tip, uncommitted, record };
  if (uncommitted.length === 0 && (await isLanded(plan, env))) return { ...plan, isLanded: true };
  if (loop.status !== 'completed' && !force) {
    throw new LoopError(failures.landingNotCompleted(loop.id, loop.status));
  }
  if (uncommitted.length > 0 && !commit) {
    throw new LoopError(failures.landingUncommitted(loop.id, worktree.path, uncommitted));
  }
  if (tip === worktree.baseCommit && uncommitted.length === 0) {
    throw new LoopError(failures.nothingToLand(loop.id, 'its branch has no commits of its own'));
  }
  await assertNothingUnderWay(repository, uncommitted.length > 0 ? [into, worktree.branch] : [into], env);
  return { ...plan, isLanded: false };
}

/** Refuses to move a branch, or to commit on it, while a person is in the middle of something there. */
async function assertNothingUnderWay(repository: string, branches: readonly string[], env: NodeJS.ProcessEnv) {
  for (const branch of branches) {
    const found = await operationUnderWay(repository, branch, env);
    if (found !== undefined) throw new LoopError(failures.landingUnderWay(branch, found.what, found.folder));
  }
}

async function targetOf(
  { loop, place, context, into: chosen }: LandingRequest,
  { branch, baseBranch }: Worktree,
  record: LandingRecord | undefined,
): Promise<{ readonly into: string; readonly intoTip: string }> {
  const into = chosen ?? record?.into ?? baseBranch;
  const refuse = (why: string) => new LoopError(failures.landingNeedsBranch(loop.id, why));
  if (into === undefined) throw refuse('it started from a commit without a branch');
  if (into === branch) throw refuse(`${into} is its own branch`);
  const intoTip = await branchTip(place.workingDirectory, into, context.env);
  if (intoTip === undefined) throw refuse(`there is no branch "${into}"`);
  return { into, intoTip };
}

/** The uncommitted files of the loop's worktree; refuses one in which another branch is checked out. */
async function leftFiles(
  repository: string,
  { path: top, branch }: Worktree,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const all = await listWorktrees(repository, env);
  const found = all.find((each) => isFolder(each.path) && realFolder(each.path) === realFolder(top));
  if (found === undefined) return [];
  const { branch: current = 'a commit' } = found;
  if (current !== branch) throw new LoopError(failures.worktreeSwitched(top, branch, current));
  return await uncommittedFiles(top, env);
}

async function isLanded(
  { repository, into, intoTip: within, tip, record, worktree }: Omit<LandingPlan, 'isLanded'>,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (tip === undefined) return true;
  const isOfThis = record?.tip === tip && record.into === into;
  if (isOfThis && record.state === 'landed') return true;
  if (isOfThis && (await isContained(repository, { commit: record.to, within }, env))) return true;
  return tip !== worktree.baseCommit && (await isContained(repository, { commit: tip, within }, env));
}
