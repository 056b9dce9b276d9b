import { type CapturedRun, runCapture } from '../process/index.ts';
import { Unreadable } from './unreadable.ts';

const TIMEOUT_MS = 120_000;
const OUTPUT_LIMIT = 256 * 1024 * 1024;
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null'].flatMap((setting) => ['-c', setting]);

/** Runs git and returns what it prints; throws when it fails. */
export async function git(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Buffer> {
  const run = await runGit(folder, args, env);
  if (exitCode(run) === 0) return run.stdout;
  throw new Unreadable(`git ${args[0]} failed: ${run.stderr.trim() || describe(run)}`);
}

/** Whether a folder inside a repository is ignored there, so that git says nothing about its files. */
export async function isIgnored(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return exitCode(await runGit(folder, ['check-ignore', '-q', '.'], env)) === 0;
}

/** The caller's environment without its GIT_ variables, which could point at another repository. */
function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
}

// Neither hooks nor pager nor a file system monitor of the repository take part: an agent may have written them.
async function runGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<CapturedRun> {
  return runCapture({
    command: ['git', '--no-pager', ...SETTINGS, ...args],
    cwd: folder,
    env: gitEnvironment(env),
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
