import { type CapturedRun, type RunErrand, runCapture } from '../process/index.ts';
import { keepFromWaiting } from './stuck-git.ts';
import { LockedByGit, Unreadable } from './unreadable.ts';

const timeoutMs = 120_000;
const quickMs = 30_000;
const maxOutputBytes = 256 * 1024 * 1024;
// A folder that only looks like a bare repository is a trap: whoever made it chose its settings.
const settings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'safe.bareRepository=explicit',
  'sparse.expectFilesOutsideOfPatterns=false',
];

interface GitCall {
  readonly args: readonly string[];
  /** The caller's environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: Uint8Array;
  /** The index to use instead of the user's own. */
  readonly indexFile?: string;
  /** The repository to use instead of the one that the folder belongs to; the user's settings apply only if it `connects`. */
  readonly repository?: PrivateRepository;
  /** The work tree of that repository. */
  readonly workTree?: string;
  /** Whether the call talks to another repository: the user's settings and variables for that apply. */
  readonly connects?: boolean;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** A quicker way to run it, if there is one at the moment; only for what can be repeated. */
  readonly quickly?: RunErrand | undefined;
}

/** A bare repository of our own, and where its objects are. */
export interface PrivateRepository {
  readonly folder: string;
  readonly objects: string;
  /** Folders with further objects, which are only read. */
  readonly alternates: readonly string[];
}

interface RunOfGit {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Wraps a command that only reads. */
export type EncloseRead = (run: RunOfGit) => Pick<RunOfGit, 'command' | 'env'>;

const enclosures = new Map<string, EncloseRead>();
/** What runs programs that the settings of a repository name: filters, and fetches of what is missing. */
const enclosed = ['status', 'hash-object', 'cat-file', 'diff-index', 'log'];

/**
 * From now on git looks at a work tree through this. The repositories in there that an agent made have its settings, and so its
 * programs; this keeps them from doing anything.
 */
export function encloseGit(workTree: string, enclose: EncloseRead): Disposable {
  enclosures.set(workTree, enclose);
  return { [Symbol.dispose]: () => void enclosures.delete(workTree) };
}

/** Runs git in a folder and returns what it prints; throws when it fails. */
export async function git(folder: string, call: GitCall): Promise<Buffer> {
  const printed = await runQuickly(folder, call);
  if (printed !== undefined) return printed;
  const run = await runGit(folder, call);
  if (exitCode(run) === 0) return run.stdout;
  const message = `git ${nameOf(call)} failed: ${run.stderr.trim() || describe(run)}`;
  const lock = lockInTheWay.exec(run.stderr)?.[1];
  throw lock === undefined ? new Unreadable(message) : new LockedByGit(message, lock);
}

const lockInTheWay = /Unable to create '(.+\.lock)': File exists/;

/** The git command, after the settings that precede it. */
function nameOf({ args }: GitCall): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

// What exceeds the limit is dropped piece by piece, and a piece of a pipe is smaller than this.
const marginBytes = 1024 * 1024;

/** The beginning of what git prints, up to a number of bytes; throws when it fails for another reason than its length. */
export async function gitStart(
  folder: string,
  call: Omit<GitCall, 'maxOutputBytes'>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const run = await runGit(folder, { ...call, maxOutputBytes: maxBytes + marginBytes });
  const { ending } = run;
  if (exitCode(run) !== 0 && !(ending.kind === 'stopped' && ending.by === 'output')) {
    throw new Unreadable(`git ${call.args[0]} failed: ${run.stderr.trim() || describe(run)}`);
  }
  return { bytes: run.stdout.subarray(0, maxBytes), isWhole: exitCode(run) === 0 && run.stdout.length <= maxBytes };
}

/** Whether git exits with 0: for questions that it answers by its exit code alone. */
export async function gitSucceeds(folder: string, call: GitCall): Promise<boolean> {
  return exitCode(await runGit(folder, call)) === 0;
}

/** Variables that only change settings. Others, such as GIT_DIR, could point at another repository. */
const settingVariable = /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)$/;
/** Variables that say how to reach another repository. */
const connectionVariable = /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|HTTP_\w+|SSL_\w+|PROXY_\w+|ALLOW_PROTOCOL)$/;

function gitEnvironment(env: NodeJS.ProcessEnv, connects: boolean): NodeJS.ProcessEnv {
  const isKept = (name: string) => settingVariable.test(name) || (connects && connectionVariable.test(name));
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || isKept(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // "git replace" could substitute other content for the recorded objects.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

function privateEnvironment({ folder, objects, alternates }: PrivateRepository): NodeJS.ProcessEnv {
  return {
    GIT_DIR: folder,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.map((each) => JSON.stringify(each)).join(':'),
  };
}

// Neither settings of the user nor those that an agent wrote into the repository apply: no filter, no lazy fetch.
const noSettings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_COUNT: '0' };

// The repository's hooks, pager and file system monitor must not run: an agent may have written them.
function commandOf(
  folder: string,
  { args, env, indexFile, repository, workTree, connects = false }: GitCall,
): RunOfGit {
  return {
    command: ['git', '--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args],
    cwd: folder,
    env: {
      ...gitEnvironment(env, connects),
      ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
      ...(repository === undefined ? {} : privateEnvironment(repository)),
      ...(repository === undefined || connects ? {} : noSettings),
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    },
  };
}

function enclosedCommand(folder: string, call: GitCall): RunOfGit {
  const run = commandOf(folder, call);
  const isOwn = call.repository !== undefined || call.indexFile !== undefined || call.args.includes('-w');
  if (isOwn || enclosures.size === 0 || !enclosed.includes(nameOf(call))) return run;
  const [, enclose] = [...enclosures].find(([top]) => folder === top || folder.startsWith(`${top}/`)) ?? [];
  return enclose === undefined ? run : { ...run, ...enclose(run), cwd: '/' };
}

async function runQuickly(folder: string, call: GitCall): Promise<Buffer | undefined> {
  using _released = keepFromWaiting(call.workTree ?? folder);
  return await call.quickly?.({ ...enclosedCommand(folder, call), timeoutMs: quickMs });
}

async function runGit(folder: string, call: GitCall): Promise<CapturedRun> {
  const { input } = call;
  using _released = keepFromWaiting(call.workTree ?? folder);
  return await runCapture({
    ...enclosedCommand(folder, call),
    ...(input === undefined ? {} : { input }),
    timeoutMs: call.timeoutMs ?? timeoutMs,
    maxOutputBytes: call.maxOutputBytes ?? maxOutputBytes,
  });
}

function describe({ ending }: CapturedRun): string {
  if (ending.kind === 'not_started') return ending.message;
  return ending.kind === 'stopped' ? `stopped by ${ending.by}` : JSON.stringify(ending);
}

function exitCode({ ending }: CapturedRun): number | undefined {
  return ending.kind === 'exited' ? ending.code : undefined;
}
