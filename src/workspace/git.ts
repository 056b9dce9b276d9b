import { type CapturedRun, runCapture } from '../process/index.ts';
import { Unreadable } from './unreadable.ts';

const TIMEOUT_MS = 120_000;
const OUTPUT_LIMIT = 256 * 1024 * 1024;
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'sparse.expectFilesOutsideOfPatterns=false'];

/** One call of git. */
export interface GitCall {
  readonly args: readonly string[];
  /** The caller's environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: Uint8Array;
  /** The index to use instead of the user's own. */
  readonly indexFile?: string;
}

/** Runs git in a folder and returns what it prints; throws when it fails. */
export async function git(folder: string, call: GitCall): Promise<Buffer> {
  const run = await runGit(folder, call);
  if (exitCode(run) === 0) return run.stdout;
  throw new Unreadable(`git ${call.args[0]} failed: ${run.stderr.trim() || describe(run)}`);
}

/** Asks git something that it answers by its exit code alone: 0 is yes, anything else no. */
export async function gitSays(folder: string, call: GitCall): Promise<boolean> {
  return exitCode(await runGit(folder, call)) === 0;
}

/** Variables that choose settings. Others, such as GIT_DIR, could point at another repository. */
const SETTING_VARIABLE = /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)$/;

function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || SETTING_VARIABLE.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // "git replace" could put other content in the place of what was kept.
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

// Neither hooks nor pager nor a file system monitor of the repository take part: an agent may have written them.
async function runGit(folder: string, { args, env, input, indexFile }: GitCall): Promise<CapturedRun> {
  return runCapture({
    command: ['git', '--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting]), ...args],
    cwd: folder,
    env: { ...gitEnvironment(env), ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }) },
    ...(input === undefined ? {} : { input }),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: OUTPUT_LIMIT,
  });
}

function describe({ ending }: CapturedRun): string {
  if (ending.kind === 'not_started') return ending.message;
  return ending.kind === 'stopped' ? `stopped by ${ending.by}` : JSON.stringify(ending);
}

function exitCode({ ending }: CapturedRun): number | undefined {
  return ending.kind === 'exited' ? ending.code : undefined;
}
