import path from 'node:path';
import { failures, headText, LoopError } from '../base/index.ts';
import type { GateRun, Loop } from '../core/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import { defaultConfig } from '../protocol/index.ts';
import { holdUnowned, sqliteLock } from '../store/index.ts';
import {
  branchTip,
  commitAll,
  filesInTheWay,
  isContained,
  isReadError,
  LockedByGit,
  mergeInScratch,
  moveBranch,
} from '../workspace/index.ts';
import { failedChecks, openLandingGate } from './land-gate.ts';
import { type LandingPlan, type LandingRequest, planLanding } from './land-plan.ts';
import { type NewLanding, writeLanding } from './land-record.ts';
import { openScratch, removeScratches, shareDependencies } from './land-scratch.ts';
import { timestamp } from './machine.ts';
import { findLoop } from './read-loops.ts';
import { remoteLoopsAt } from './remote-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { assertLoopTrusted } from './trust/loop-lines.ts';
import { dropWorktree, type WorktreeRemoval } from './worktree-remove.ts';
import { setUpWorktree } from './worktree-start.ts';

/** What landing did, or would do. */
export interface LandingReport extends WorktreeRemoval {
  readonly loopId: string;
  readonly result: 'landed' | 'already_landed' | 'would_land';
  readonly branch: string;
  readonly into: string;
  readonly method?: NewLanding['method'];
  /** The commit that the branch has now, or would have. */
  readonly commit?: string;
  /** Whether checks passed for the merged work of a loop that completed verified. */
  readonly verified: boolean;
  /** How many checks passed for the merged work. */
  readonly checks: number;
  /** Files that were committed first, or would be. */
  readonly committed: readonly string[];
}

/** How often a branch may move while the checks run. */
const maxTries = 3;

/** Lands the branch of the loop a user means. */
export async function landLoop(
  place: LoopPlace,
  query: string | undefined,
  options: Omit<LandingRequest, 'loop' | 'folder' | 'place'>,
): Promise<LandingReport> {
  const { loop, folder } = findLoop(place, query);
  const remote = remoteLoopsAt(place.root);
  // A worker has its own state folder, which nothing here uses.
  const asked =
    remote === undefined ? loop : { ...loop, config: { ...loop.config, stateDir: defaultConfig().stateDir } };
  await assertLoopTrusted(asked, place, options.context);
  if (remote === undefined) {
    using _held = holdUnowned({ ...openStore(place).place(loop.id), files: nodeCareFiles }, sqliteLock);
    return await land({ ...options, loop, folder, place });
  }
  if (loop.status !== 'completed' && !options.force)
    throw new LoopError(failures.landingNotCompleted(loop.id, loop.status));
  const { workingDirectory: into } = place;
  const brought = await remote.bringWork(loop, { into, commit: options.commit });
  return await land({ ...options, loop: brought, folder, place, dependencies: into });
}

/** Lands the branch of a loop that nobody drives: continues what was interrupted, or starts over. */
export async function land(request: LandingRequest): Promise<LandingReport> {
  try {
    const plan = await planLanding(request);
    if (plan.isLanded) return await closeLanded(plan, request);
    return await carryOut(plan, request);
  } catch (error) {
    if (error instanceof LockedByGit) {
      throw new LoopError(failures.landingLocked(request.loop.id, error.file), { cause: error });
    }
    if (!isReadError(error)) throw error;
    const why = error.message.replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '');
    throw new LoopError(failures.landingFailed(`Loop ${request.loop.id} was not landed`, why), { cause: error });
  }
}

async function carryOut(plan: LandingPlan, request: LandingRequest): Promise<LandingReport> {
  const { onStep, dryRun, context } = request;
  const tip = dryRun ? (plan.tip ?? '') : await commitLeft(plan, request);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const from = tries === 0 ? plan.intoTip : await tipOf(plan, context.env);
    const { landing, isContinued } = await verifiedLanding({ plan, tip, from }, request);
    if (dryRun) return report(plan, request, { result: 'would_land', landing });
    writeLanding(request.folder, { ...landing, state: 'intended' });
    await onStep?.('intended');
    const move = { branch: plan.into, from, to: landing.to, isContinued };
    if (!(await moveBranch(plan.repository, move, context.env))) continue;
    await onStep?.('moved');
    writeLanding(request.folder, { ...landing, state: 'landed' });
    await onStep?.('landed');
    const removal = await tidyUp(plan, request);
    await onStep?.('removed');
    return report(plan, request, { result: 'landed', landing, removal });
  }
  throw new LoopError(failures.landingOvertaken(plan.into, maxTries));
}

async function tipOf({ repository, into }: LandingPlan, env: NodeJS.ProcessEnv): Promise<string> {
  const tip = await branchTip(repository, into, env);
  if (tip !== undefined) return tip;
  throw new LoopError(failures.landingFailed('The landing was given up', `somebody deleted the branch ${into}`));
}

/** Commits what the loop left, and returns the commit of its branch. */
async function commitLeft(plan: LandingPlan, { loop, context, onStep }: LandingRequest): Promise<string> {
  const { worktree, uncommitted, tip = '' } = plan;
  if (uncommitted.length === 0) return tip;
  const commit = await commitAll(worktree.path, `${titleOf(loop)}\n\nLoop: ${loop.id}`, context.env);
  await onStep?.('committed');
  return commit;
}

interface Attempt {
  readonly plan: LandingPlan;
  /** The commit of the loop's branch. */
  readonly tip: string;
  /** The commit of the branch that gets it. */
  readonly from: string;
}

type Landing = Omit<NewLanding, 'state'>;

interface VerifiedLanding {
  readonly landing: Landing;
  /** Whether an interrupted landing left it: then the branch, or its files, may be about to move. */
  readonly isContinued: boolean;
}

/** The merged work that the checks passed: as an interrupted landing left it, or made now. */
async function verifiedLanding(attempt: Attempt, request: LandingRequest): Promise<VerifiedLanding> {
  const { plan, tip, from } = attempt;
  const { record, repository, into } = plan;
  const { env } = request.context;
  const isUnchanged = record?.tip === tip && record.from === from && record.into === into;
  if (record?.state === 'intended' && isUnchanged && !request.dryRun) {
    const exists = await isContained(repository, { commit: from, within: record.to }, env);
    if (exists) {
      await assertNothingInTheWay(attempt, { to: record.to, isContinued: true }, request);
      return { landing: record, isContinued: true };
    }
  }
  return { landing: await mergeAndVerify(attempt, request), isContinued: false };
}

async function mergeAndVerify(attempt: Attempt, request: LandingRequest): Promise<Landing> {
  const { plan, tip, from } = attempt;
  const { loop, context, onStep, dryRun } = request;
  const { worktree, repository, into } = plan;
  const { env } = context;
  await using scratch = await openScratch({ loopId: loop.id, repository, commit: from, env });
  const workingDirectory = path.join(scratch.top, path.relative(worktree.path, loop.origin.workingDirectory));
  const isChecked = loop.gate.checks.length > 0 && !dryRun;
  await using gate = isChecked ? await openGate(workingDirectory, request) : undefined;
  const message = `${titleOf(loop)}\n\nMerge ${worktree.branch} into ${into}\nLoop: ${loop.id}`;
  const merged = await mergeInScratch(scratch.top, { base: from, tip, method: request.method, message }, env);
  if (merged.kind === 'conflict') throw new LoopError(failures.landingConflict(worktree.branch, into, merged.files));
  if (merged.kind === 'not_fast_forward') throw new LoopError(failures.landingNotFastForward(worktree.branch, into));
  await onStep?.('merged');
  await assertNothingInTheWay(attempt, { to: merged.commit, isContinued: false }, request);
  if (gate !== undefined) {
    if (loop.config.verifyIn !== 'sealed') await setUpWorktree(loop.config, workingDirectory, env);
    assertPassed(await gate.run(), into);
  }
  await onStep?.('verified');
  const verified = gate !== undefined && loop.status === 'completed' && loop.outcome.verified;
  return { into, tip, from, to: merged.commit, method: merged.method, verified, at: timestamp() };
}

async function openGate(workingDirectory: string, request: LandingRequest) {
  const { loop, place, context, signal, onCheck } = request;
  const { env } = context;
  // Sealed checks take their dependencies from the tree before the merge.
  if (loop.config.worktreeSetup === undefined) shareDependencies(loop, workingDirectory, request.dependencies);
  else if (loop.config.verifyIn === 'sealed') await setUpWorktree(loop.config, workingDirectory, env);
  return await openLandingGate({ loop, place, workingDirectory, env, signal, onCheck });
}

function assertPassed(run: GateRun | undefined, into: string): void {
  if (run === undefined)
    throw new LoopError(failures.landingFailed('The landing was interrupted', 'nothing was changed'));
  if (run.verdict !== 'passed') throw new LoopError(failures.landingNotVerified(into, failedChecks(run)));
}

async function assertNothingInTheWay(
  { plan, from }: Attempt,
  target: { readonly to: string; readonly isContinued: boolean },
  { context }: LandingRequest,
): Promise<void> {
  const { repository, into } = plan;
  const found = await filesInTheWay(repository, { branch: into, from, ...target }, context.env);
  if (found === undefined || found.files.length === 0) return;
  throw new LoopError(failures.landingInTheWay(found.folder, found.files));
}

/** A landing that is over, as far as the branches are concerned: the record and the worktree may be left to do. */
async function closeLanded(plan: LandingPlan, request: LandingRequest): Promise<LandingReport> {
  const { record } = plan;
  if (request.dryRun) return report(plan, request, { result: 'already_landed' });
  if (record?.state === 'intended' && record.tip === plan.tip) {
    writeLanding(request.folder, { ...record, state: 'landed' });
  }
  return report(plan, request, { result: 'already_landed', removal: await tidyUp(plan, request) });
}

async function tidyUp({ repository }: LandingPlan, request: LandingRequest): Promise<WorktreeRemoval> {
  const { loop, folder, context, keep } = request;
  await removeScratches({ loopId: loop.id, repository, env: context.env });
  if (keep) return { removed: [], kept: [] };
  return await dropWorktree({ loop, folder, repository, ...context, force: false });
}

interface Outcome {
  readonly result: LandingReport['result'];
  readonly landing?: Landing;
  readonly removal?: WorktreeRemoval;
}

function report(plan: LandingPlan, { loop }: LandingRequest, outcome: Outcome): LandingReport {
  const { worktree, into, uncommitted } = plan;
  const { result, removal = { removed: [], kept: [] } } = outcome;
  const landing =
    outcome.landing ?? (plan.tip === undefined || plan.record?.tip === plan.tip ? plan.record : undefined);
  return {
    loopId: loop.id,
    result,
    branch: worktree.branch,
    into,
    ...(landing === undefined ? {} : { method: landing.method, commit: landing.to }),
    verified: landing?.verified ?? false,
    checks: landing === undefined ? 0 : loop.gate.checks.length,
    committed: uncommitted,
    ...removal,
  };
}

const maxTitleLength = 72;

/** The first line of the task. */
function titleOf({ origin, id }: Loop): string {
  const [first = ''] = origin.task.trim().split('\n');
  return headText(first.trim(), maxTitleLength) || `Work of ${id}`;
}
