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
  const { source, worktree } = await planWorktree(request);
  const { env, config } = request;
  await create(source, worktree, env);
  try {
    await noteProject(worktree, request);
    const workingDirectory = path.join(worktree.path, source.prefix);
    await setUpWorktree(config, workingDirectory, env);
    const warnings = await warningsFor(request, source, workingDirectory);
    const prompt = await promptFor(request, workingDirectory);
    return await start({ worktree, workingDirectory, config: { ...config, ...prompt }, warnings });
  } catch (error) {
    await withdraw(source, worktree, env);
    throw error;
  }
}

/** Refuses a worktree that cannot be created, as far as that is known before. */
export async function planWorktree({
  config,
  workingDirectory,
  project,
  loopId,
  env,
}: WorktreeRequest): Promise<{ readonly source: WorktreeSource; readonly worktree: Worktree }> {
  if (!config.persistence.enabled) throw new LoopError(failures.worktreeNeedsState());
  const source = await findWorktreeSource(workingDirectory, env);
  if ('obstacle' in source) {
    if (source.obstacle === 'no_git') throw new LoopError(failures.worktreeNeedsGit(workingDirectory));
    throw new LoopError(failures.worktreeUnsupported(source.why));
  }
  const name = typeof config.worktree === 'string' ? config.worktree : loopId;
  const branch = `ralphd/${name}`;
  const { main, commit } = source;
  const folder = config.worktreeDir ?? path.join(path.dirname(main), `${path.basename(main)}.worktrees`);
  const place = path.resolve(main, folder, name);
  if ((await branchTip(main, branch, env)) !== undefined) {
    throw new LoopError(failures.worktreeTaken(name, `the branch ${branch}`));
  }
  if (isInside(project.root, place)) {
    throw new LoopError(
      failures.worktreeNotCreated(place, 'it would be inside the folder with the state of the loops'),
    );
  }
  if (pathExists(place)) throw new LoopError(failures.worktreeTaken(name, place));
  const base = source.branch === undefined ? {} : { baseBranch: source.branch };
  return { source, worktree: { path: place, branch, ...base, baseCommit: commit } };
}

async function create({ main, commit }: WorktreeSource, { path: place, branch }: Worktree, env: AppContext['env']) {
  try {
    await addWorktree(main, { path: place, branch, commit }, env);
  } catch (error) {
    if (!isReadError(error)) throw error;
    // Git creates the branch first.
    await deleteBranch(main, { branch, tip: commit }, env);
    throw new LoopError(failures.worktreeNotCreated(place, withoutStop(error.message)), { cause: error });
  }
}

/** From inside the worktree, every command finds the project. */
async function noteProject({ path: place }: Worktree, { project, env }: WorktreeRequest): Promise<void> {
  const note = path.join(await gitFolderOf(place, env), projectNote);
  writeFileDurably(nodeFiles, note, Buffer.from(`${project.workingDirectory}\n`));
}

async function withdraw({ main, commit }: WorktreeSource, { path: place, branch }: Worktree, env: AppContext['env']) {
  try {
    await removeWorktree(main, { path: place, force: true }, env);
    await deleteBranch(main, { branch, tip: commit }, env);
  } catch (error) {
    // Whoever starts the loop learns why it did not start; what is left of the worktree is named by the next start.
    if (!isReadError(error)) throw error;
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
