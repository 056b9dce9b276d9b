import path from 'node:path';
import { failures, headText, LoopError } from '../base/index.ts';
import { describeEnding } from '../core/index.ts';
import { nodeFiles, writeFileDurably } from '../files/index.ts';
import { runToEnd } from '../process/index.ts';
import type { LoopConfig, Worktree } from '../protocol/index.ts';
import {
  addWorktree,
  branchTip,
  deleteBranch,
  findPromptFile,
  findWorktreeSource,
  gitFolderOf,
  hasWorktree,
  isFolder,
  isReadError,
  pathExists,
  readSmallFile,
  removeWorktree,
  toRaw,
  uncommittedFiles,
  type WorktreeSource,
} from '../workspace/index.ts';
import type { AppContext } from './agent-programs.ts';
import { homeOfWorktrees, projectNote } from './find-project.ts';
import { type LoopPlace, placeOf } from './stores.ts';
import { holdClaim, leftClaim, type WorktreeClaim } from './worktree-claim.ts';

/** Where a new loop keeps its state: with a worktree of its own, in the project of the main work tree. */
export function placeToStart(config: Pick<LoopConfig, 'workingDir' | 'stateDir' | 'worktree'>, cwd: string): LoopPlace {
  return placeOf(config, config.worktree === false ? cwd : homeOfWorktrees(cwd));
}

/** A worktree for a loop that does not exist yet. */
export interface OpenedWorktree {
  readonly worktree: Worktree;
  /** The counterpart of the folder in which the user is. */
  readonly workingDirectory: string;
  /** The settings as they apply there. */
  readonly config: LoopConfig;
  readonly warnings: readonly string[];
}

/** From where, and for which loop. */
export interface WorktreeRequest {
  readonly config: LoopConfig;
  /** The folder in which the user is. */
  readonly workingDirectory: string;
  readonly project: LoopPlace;
  readonly loopId: string;
  readonly env: AppContext['env'];
}

/** Creates a worktree and starts a loop in it; if that fails, the worktree and its branch are removed again. */
export async function inNewWorktree<Started>(
  request: WorktreeRequest,
  start: (opened: OpenedWorktree) => Promise<Started>,
): Promise<Started> {
  const { env, config, project, loopId } = request;
  const source = await sourceOf(request);
  const name = nameFor(request);
  using held = holdClaim(source.main, name);
  if (held === undefined) throw new LoopError(failures.worktreeStarting(name));
  const { worktree, left } = await planIn(source, request);
  if (left !== undefined) await removeLeft(source.main, left, env);
  const { path: place, branch, baseCommit: commit } = worktree;
  const claim = { name, path: place, branch, commit, root: project.root, loopId };
  held.write({ ...claim, isCreated: false });
  try {
    await create(source, worktree, env);
    held.write({ ...claim, isCreated: true });
    await noteProject(worktree, request);
    const workingDirectory = path.join(place, source.prefix);
    await setUpWorktree(config, workingDirectory, env);
    const warnings = await warningsFor(request, source, workingDirectory);
    const prompt = await promptFor(request, workingDirectory);
    const started = await start({ worktree, workingDirectory, config: { ...config, ...prompt }, warnings });
    held.settle();
    return started;
  } catch (error) {
    if (await withdraw(source, worktree, env)) held.settle();
    throw error;
  }
}

/** Refuses a worktree that cannot be created, as far as that is known before. */
export async function planWorktree(request: WorktreeRequest): Promise<Worktree> {
  return (await planIn(await sourceOf(request), request)).worktree;
}

async function sourceOf({ config, workingDirectory, env }: WorktreeRequest): Promise<WorktreeSource> {
  if (!config.persistence.enabled) throw new LoopError(failures.worktreeNeedsState());
  const source = await findWorktreeSource(workingDirectory, env);
  if (!('obstacle' in source)) return source;
  if (source.obstacle === 'no_git') throw new LoopError(failures.worktreeNeedsGit(workingDirectory));
  throw new LoopError(failures.worktreeUnsupported(source.why));
}

function nameFor({ config, loopId }: WorktreeRequest): string {
  return typeof config.worktree === 'string' ? config.worktree : loopId;
}

interface PlannedWorktree {
  readonly worktree: Worktree;
  /** What has the name and belongs to no loop, because the process that created it died. */
  readonly left: WorktreeClaim | undefined;
}

async function planIn(source: WorktreeSource, request: WorktreeRequest): Promise<PlannedWorktree> {
  const { config, project, env } = request;
  const name = nameFor(request);
  const branch = `ralphd/${name}`;
  const { main, commit } = source;
  const folder = config.worktreeDir ?? path.join(path.dirname(main), `${path.basename(main)}.worktrees`);
  const place = path.resolve(main, folder, name);
  const left = leftClaim(main, name);
  if (left?.branch !== branch && (await branchTip(main, branch, env)) !== undefined) {
    throw new LoopError(failures.worktreeTaken(name, `the branch ${branch}`));
  }
  if (isInside(project.root, place)) {
    throw new LoopError(
      failures.worktreeNotCreated(place, 'it would be inside the folder with the state of the loops'),
    );
  }
  if (left?.path !== place && pathExists(place)) throw new LoopError(failures.worktreeTaken(name, place));
  const base = source.branch === undefined ? {} : { baseBranch: source.branch };
  return { worktree: { path: place, branch, ...base, baseCommit: commit }, left };
}

/** Removes a worktree that was left without a loop, unless somebody has worked in it. */
async function removeLeft(main: string, left: WorktreeClaim, env: AppContext['env']): Promise<void> {
  const { path: place, branch, commit, isCreated } = left;
  const tip = await branchTip(main, branch, env);
  const isThere = await hasWorktree(main, place, env);
  const isUsed = (tip !== undefined && tip !== commit) || (isThere && isCreated && (await hasChanges(place, env)));
  try {
    if (isUsed || (pathExists(place) && !isThere)) throw new LoopError(failures.worktreeLeft(place, branch));
    if (isThere) await removeWorktree(main, { path: place, force: true }, env);
    if (tip !== undefined) await deleteBranch(main, { branch, tip }, env);
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new LoopError(failures.worktreeLeft(place, branch), { cause: error });
  }
}

async function hasChanges(place: string, env: AppContext['env']): Promise<boolean> {
  return (await uncommittedFiles(place, env)).length > 0;
}

async function create({ main, commit }: WorktreeSource, { path: place, branch }: Worktree, env: AppContext['env']) {
  try {
    await addWorktree(main, { path: place, branch, commit }, env);
  } catch (error) {
    if (!isReadError(error)) throw error;
    throw new LoopError(failures.worktreeNotCreated(place, withoutStop(error.message)), { cause: error });
  }
}

/** From inside the worktree, every command finds the project. */
async function noteProject({ path: place }: Worktree, { project, env }: WorktreeRequest): Promise<void> {
  const note = path.join(await gitFolderOf(place, env), projectNote);
  writeFileDurably(nodeFiles, note, Buffer.from(`${project.workingDirectory}\n`));
}

/** Removes a worktree and its branch, as far as they exist; false if something is left, which the next start finds. */
async function withdraw(
  { main, commit }: WorktreeSource,
  { path: place, branch }: Worktree,
  env: AppContext['env'],
): Promise<boolean> {
  try {
    if (await hasWorktree(main, place, env)) await removeWorktree(main, { path: place, force: true }, env);
    // Git creates the branch first.
    await deleteBranch(main, { branch, tip: commit }, env);
    return !pathExists(place);
  } catch (error) {
    // Whoever starts the loop learns why it did not start.
    if (!isReadError(error)) throw error;
    return false;
  }
}

const maxOutputLength = 300;

/** Runs the user's commands that prepare a work tree. */
export async function setUpWorktree(
  { worktreeSetup, verifyTimeout }: LoopConfig,
  workingDirectory: string,
  env: AppContext['env'],
): Promise<void> {
  for (const command of worktreeSetup === undefined ? [] : [worktreeSetup].flat(1)) {
    const run = await runToEnd({ command, cwd: workingDirectory, env, timeoutMs: verifyTimeout });
    if (run.ending.kind === 'exited' && run.ending.code === 0) continue;
    const line = typeof command === 'string' ? command : command.join(' ');
    const last = run.output.trim().split('\n').at(-1) ?? '';
    const output = withoutStop(headText(last, maxOutputLength));
    throw new LoopError(failures.worktreeSetupFailed(line, describeEnding(run.ending), output));
  }
}

const maxNamed = 5;

/** What the user may miss in the worktree. */
async function warningsFor(
  { config, workingDirectory: here, env }: WorktreeRequest,
  { top }: WorktreeSource,
  there: string,
): Promise<readonly string[]> {
  const uncommitted = await uncommittedFiles(top, env);
  const missing = config.verifyShare.filter(
    (name) => !path.isAbsolute(name) && isFolder(path.join(here, name)) && !isFolder(path.join(there, name)),
  );
  return [
    ...(uncommitted.length === 0
      ? []
      : [
          `The worktree starts from the last commit: it does not have the uncommitted changes to ${named(uncommitted)}.`,
        ]),
    ...(missing.length === 0
      ? []
      : [`The worktree does not have ${missing.join(', ')}: set "worktreeSetup" to the command that creates it.`]),
  ];
}

function named(files: readonly string[]): string {
  const more = files.length - maxNamed;
  return `${files.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A prompt file that the worktree does not have as it is here is read from here. */
async function promptFor(
  { config, workingDirectory: here }: WorktreeRequest,
  there: string,
): Promise<{ readonly promptPath?: string }> {
  if (config.prompt !== undefined) return {};
  const file = await findPromptFile(here, config.promptPath);
  const relative = path.relative(here, file);
  if (relative.startsWith('..')) return { promptPath: file };
  const [own, theirs] = [file, path.join(there, relative)].map((each) => readSmallFile(toRaw(each)));
  return own !== undefined && theirs?.equals(own) === true ? {} : { promptPath: file };
}

function isInside(folder: string, place: string): boolean {
  return !path.relative(folder, place).startsWith('..');
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}
