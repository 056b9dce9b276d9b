import { shellWord } from '../text.ts';
import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const maxListed = 10;

function listed(files: readonly string[]): string {
  const more = files.length - maxListed;
  return `${files.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function word(text: string): string {
  return shellWord(`${text}`);
}

/** What can go wrong with the worktree of a loop and with landing its branch. */
export const worktreeFailures = {
  worktreeNeedsGit: (folder: string) => ({
    code: 'WORKTREE_NEEDS_GIT',
    exitCode: exitCodes.configuration,
    message: `${folder} is not in a git repository, so the loop cannot get a worktree.`,
    hint: 'Create a repository with "git init" and a first commit, or leave out "--worktree".',
  }),
  worktreeUnsupported: (why: string) => ({
    code: 'WORKTREE_UNSUPPORTED',
    exitCode: exitCodes.configuration,
    message: `The loop cannot get a worktree here: ${why}.`,
    hint: 'Leave out "--worktree", and start the loop in a work tree that you create yourself.',
  }),
  worktreeTaken: (name: string, what: string) => ({
    code: 'WORKTREE_TAKEN',
    exitCode: exitCodes.usage,
    message: `The worktree "${name}" cannot be created: ${what} already exists.`,
    hint: 'Choose another name with "--worktree=NAME".',
  }),
  worktreeStarting: (name: string) => ({
    code: 'WORKTREE_STARTING',
    exitCode: exitCodes.locked,
    message: `Another process is creating the worktree "${name}" now.`,
    hint: 'Wait until its loop has started, or choose another name for the worktree.',
  }),
  worktreeLeft: (path: string, branch: string) => ({
    code: 'WORKTREE_LEFT',
    exitCode: exitCodes.usage,
    message: `The worktree ${path} is left from a start that died before its loop existed, and it has changes since.`,
    hint: `Save what you need. To remove it: git worktree remove -f -f ${word(path)}; rm -rf ${word(path)}; git branch -D ${branch}`,
  }),
  worktreeNotCreated: (path: string, why: string) => ({
    code: 'WORKTREE_NOT_CREATED',
    exitCode: exitCodes.configuration,
    message: `The worktree ${path} cannot be created: ${why}.`,
    hint: 'Set "worktreeDir" in ralphd.yml to a folder that you can write to.',
  }),
  worktreeSetupFailed: (command: string, how: string, output: string) => ({
    code: 'WORKTREE_SETUP_FAILED',
    exitCode: exitCodes.configuration,
    message: `"${command}" of "worktreeSetup" ${how}${output === '' ? '' : `: ${output}`}.`,
    hint: 'Correct "worktreeSetup" in ralphd.yml; it runs in the new work tree.',
  }),
  worktreeNeedsState: () => ({
    code: 'WORKTREE_NEEDS_STATE',
    exitCode: exitCodes.configuration,
    message: 'A loop that keeps no state cannot get a worktree: nothing would know its branch afterwards.',
    hint: 'Remove "persistence.enabled: false" from the configuration, or leave out "--worktree".',
  }),
  worktreeGone: (loopId: string, path: string, branch: string) => ({
    code: 'WORKTREE_GONE',
    exitCode: exitCodes.configuration,
    message: `The worktree of loop ${loopId} is gone: ${path}.`,
    hint: `If its branch still exists, bring it back: git worktree add ${path} ${branch}`,
  }),
  worktreeSwitched: (path: string, branch: string, current: string) => ({
    code: 'WORKTREE_SWITCHED',
    exitCode: exitCodes.usage,
    message: `${path} has ${current} checked out instead of ${branch}, the branch of the loop.`,
    hint: `Bring the work onto ${branch} and check it out there: git switch ${branch}`,
  }),
  workTreeInUse: (folder: string, loops: readonly string[]) => ({
    code: 'WORK_TREE_IN_USE',
    exitCode: exitCodes.locked,
    message: `Another loop works in ${folder}: ${loops.join(', ')}. Each would count the other's changes as its own.`,
    hint: 'Start this loop in its own work tree with "run --worktree", wait for the other loop, or share the folder with "--force".',
  }),
  nothingToLand: (loopId: string, why: string) => ({
    code: 'NOTHING_TO_LAND',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} has nothing to land: ${why}.`,
    hint: `Run "ralphd status ${loopId}" to see where it works.`,
  }),
  landingNotCompleted: (loopId: string, status: string) => ({
    code: 'LANDING_NOT_COMPLETED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} is ${status}, not completed: no check has verified its work.`,
    hint: `Run "ralphd explain ${loopId}" to see why. To land it as unverified work: ralphd land ${loopId} --force`,
  }),
  landingUncommitted: (loopId: string, path: string, files: readonly string[]) => ({
    code: 'LANDING_UNCOMMITTED',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} left files in ${path} that are not committed: ${listed(files)}.`,
    hint: `Commit or remove them yourself, or commit them all with: ralphd land ${loopId} --commit`,
  }),
  landingNeedsBranch: (loopId: string, why: string) => ({
    code: 'LANDING_NEEDS_BRANCH',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} cannot be landed: ${why}.`,
    hint: `Name a branch that exists: ralphd land ${loopId} --into BRANCH`,
  }),
  landingConflict: (branch: string, into: string, files: readonly string[]) => ({
    code: 'LANDING_CONFLICT',
    exitCode: exitCodes.failed,
    message: `${branch} conflicts with ${into} in ${listed(files)}. Both branches are unchanged.`,
    hint: `Merge ${into} into ${branch} in the worktree of the loop, resolve the conflicts, commit, and land again.`,
  }),
  landingNotFastForward: (branch: string, into: string) => ({
    code: 'LANDING_NOT_FAST_FORWARD',
    exitCode: exitCodes.failed,
    message: `${into} has commits that ${branch} does not have, so it cannot be fast-forwarded. Both branches are unchanged.`,
    hint: 'Use "--merge" or "--squash" instead of "--ff-only".',
  }),
  landingNotVerified: (into: string, checks: readonly string[]) => ({
    code: 'LANDING_NOT_VERIFIED',
    exitCode: exitCodes.failed,
    message: `Merged with ${into}, the work does not pass: ${checks.join('; ')}. Both branches are unchanged.`,
    hint: `Merge ${into} into the branch of the loop, fix what fails, commit, and land again.`,
  }),
  landingInTheWay: (folder: string, files: readonly string[]) => ({
    code: 'LANDING_IN_THE_WAY',
    exitCode: exitCodes.usage,
    message: `Landing would overwrite files in ${folder} that are not committed: ${listed(files)}. Nothing was changed.`,
    hint: 'Commit, stash or move them, and land again.',
  }),
  landingUnderWay: (branch: string, what: string, folder: string) => ({
    code: 'LANDING_UNDER_WAY',
    exitCode: exitCodes.usage,
    message: `A ${what} on ${branch} is under way in ${folder}. Nothing was changed.`,
    hint: `Finish it, or undo it with "git ${what} --abort" there, and land again.`,
  }),
  landingLocked: (loopId: string, file: string) => ({
    code: 'LANDING_LOCKED',
    exitCode: exitCodes.locked,
    message: `Loop ${loopId} was not landed: git refuses to work because of its lock ${file}.`,
    hint: `Wait until no git command runs there, and land again. If git died and left the lock, remove it first: rm ${word(file)}`,
  }),
  landingOvertaken: (into: string, tries: number) => ({
    code: 'LANDING_OVERTAKEN',
    exitCode: exitCodes.failed,
    message: `${into} moved ${tries} times while the checks ran. Nothing was changed.`,
    hint: 'Land again when fewer commits arrive.',
    retry: 'backoff' as const,
  }),
  workGone: (loopId: string, repository: string, commit: string) => ({
    code: 'WORK_GONE',
    exitCode: exitCodes.failed,
    message: `The work of loop ${loopId} is not in ${repository} any more: the commit ${commit}, which its journal names, is gone.`,
    hint: `Look for the branch ralphd/${loopId} there, or for the work tree on the worker that drove it.`,
  }),
  landingBranchTaken: (loopId: string, branch: string) => ({
    code: 'LANDING_BRANCH_TAKEN',
    exitCode: exitCodes.usage,
    message: `Loop ${loopId} was not landed: this repository has a branch ${branch} with other commits, or it is checked out.`,
    hint: `Rename or delete that branch ("git branch -m ${branch} NAME"), then land again.`,
  }),
  landingFailed: (what: string, why: string) => ({
    code: 'LANDING_FAILED',
    exitCode: exitCodes.failed,
    message: `${what}: ${why}.`,
    hint: 'Correct this, and land again: a landing that was interrupted continues or starts over.',
  }),
} as const satisfies FailureFamily;
