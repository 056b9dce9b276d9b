import { shellWord } from '../../base/index.ts';
import { findExecutable } from '../../process/index.ts';
import { git, isReadError } from '../../workspace/index.ts';
import type { CheckRow } from '../finding.ts';
import { installCommand } from './install-command.ts';

const name = 'git';

/** Whether git is here, and the state of the repository that a folder belongs to. */
export async function gitRow(folder: string, env: NodeJS.ProcessEnv): Promise<CheckRow> {
  if (findExecutable('git', { PATH: env['PATH'], cwd: '/' }) === undefined) {
    const what = 'not installed: changes are found by reading the files';
    return { name, level: 'warning', what, fix: installCommand('git', env) ?? 'Install git.' };
  }
  const version = (await printed(folder, ['--version'], env)).replace(/^git version /u, '');
  const status = await statusOf(folder, env);
  if ('refusal' in status) {
    const { what, fix } = describeRefusal(status.refusal, folder);
    return { name, level: 'warning', what: `${version}; ${what}`, fix };
  }
  const { changes } = status;
  const state =
    changes === 0 ? 'no uncommitted changes' : `${changes} uncommitted ${changes === 1 ? 'change' : 'changes'}`;
  return { name, level: 'ok', what: `${version}; ${state}` };
}

async function statusOf(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly changes: number } | { readonly refusal: string }> {
  try {
    const listed = await printed(folder, ['status', '--porcelain', '-z', '--no-renames'], env);
    return { changes: listed.split('\0').filter((entry) => entry !== '').length };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return { refusal: error.message };
  }
}

function describeRefusal(refusal: string, folder: string): { readonly what: string; readonly fix: string } {
  if (refusal.includes('dubious ownership')) {
    const place = /safe\.directory '?(?<place>[^'\n]+)/u.exec(refusal)?.groups?.['place'] ?? folder;
    return {
      what: 'it refuses this repository, which belongs to another user',
      fix: `git config --global --add safe.directory ${shellWord(place)}`,
    };
  }
  if (refusal.includes('must be run in a work tree')) {
    return { what: 'this is a bare repository, without files to work on', fix: 'Run ralphd in a clone of it.' };
  }
  if (refusal.includes('not a git repository (or any')) {
    return { what: 'this folder is in no repository, so there are no diffs and no clean checkouts', fix: 'git init' };
  }
  const [first = ''] = refusal.replace(/^git status failed: (?:fatal: )?/u, '').split('\n');
  return { what: `it cannot read this repository: ${first}`, fix: 'Repair it until "git status" works.' };
}

async function printed(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await git(folder, { args, env })).toString('utf8').trim();
}
