import { shellNeeded } from '../core/index.ts';
import { type Command, type Ending, findExecutable } from '../process/index.ts';
import type { CheckCommand } from '../protocol/index.ts';

// Never the user's PATH: an agent may be able to write to one of its folders.
const systemFolders = '/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin:/run/current-system/sw/bin';
/** 128 plus the number of SIGPIPE. */
const brokenPipe = 141;

export function systemBash(): string | undefined {
  return findExecutable('bash', { PATH: systemFolders, cwd: '/' });
}

/** The command that runs a check. A line whose exit code depends on pipes needs bash: Debian's sh has no pipefail. */
export function shellCommand(check: CheckCommand): Command {
  if (typeof check !== 'string') return check;
  const needed = shellNeeded(check);
  const bash = needed === 'sh' ? undefined : systemBash();
  if (bash === undefined) return check;
  return needed === 'pipefail' ? [bash, '-o', 'pipefail', '-c', check] : [bash, '-c', check];
}

/** Explains a check that failed under pipefail because a command stopped reading early. */
export function brokenPipeNote(check: CheckCommand, ending: Ending): string {
  const isBroken = ending.kind === 'exited' && ending.code === brokenPipe;
  if (!isBroken || typeof check !== 'string' || shellNeeded(check) === 'sh') return '';
  return 'exit code 141: a command such as "head" or "grep -q" closed the pipe early; write the output to a file first ("npm test > test.log && head test.log")';
}
