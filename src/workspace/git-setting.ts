import path from 'node:path';
import { realFolder } from './folder.ts';
import { git } from './git.ts';
import { gitFoldersOf, settingsTexts } from './git-folder.ts';
import { createMemory } from './memory.ts';
import { join, type RawPath, toRaw } from './raw-path.ts';
import { Unreadable } from './unreadable.ts';

const remembered = createMemory<RawPath>();

/**
 * The path in a setting of git, at the top of a work tree; empty where it is not set. Git is asked again when one of the
 * files that the user or an agent can set it in has changed.
 */
export async function gitPathSetting(top: string, name: string, env: NodeJS.ProcessEnv): Promise<RawPath> {
  const basis = basisOf(toRaw(top), env);
  const question = JSON.stringify([top, name]);
  const known = basis === undefined ? undefined : remembered.get(question, basis);
  if (known !== undefined) return known;
  const answer = await askGit(top, name, env);
  if (basis !== undefined) remembered.set(question, basis, answer);
  return answer;
}

async function askGit(top: string, name: string, env: NodeJS.ProcessEnv): Promise<RawPath> {
  try {
    const printed = await git(top, { args: ['config', '--type=path', '--get', name], env });
    return printed.toString('latin1').replace(/\n$/, '');
  } catch (error) {
    if (error instanceof Unreadable) return '';
    throw error;
  }
}

function basisOf(top: RawPath, env: NodeJS.ProcessEnv): string | undefined {
  const { own, shared } = gitFoldersOf(top);
  const files = [join(shared, 'config'), join(own, 'config.worktree'), ...userFiles(env)];
  const texts = settingsTexts(files);
  // Settings may be in any other file that these name.
  if (texts === undefined || texts.some((text) => /\[\s*include/i.test(text))) return undefined;
  const variables = Object.entries(env).filter(([variable]) => variable.startsWith('GIT_CONFIG'));
  return JSON.stringify([files, texts, variables]);
}

/** The user's own settings; each may be a link to a file that is kept elsewhere. */
function userFiles({ GIT_CONFIG_GLOBAL, XDG_CONFIG_HOME, HOME = '/' }: NodeJS.ProcessEnv): readonly RawPath[] {
  const inHome = [
    path.join(XDG_CONFIG_HOME || path.join(HOME, '.config'), 'git/config'),
    path.join(HOME, '.gitconfig'),
  ];
  const files = GIT_CONFIG_GLOBAL === undefined ? inHome : [GIT_CONFIG_GLOBAL];
  return files.filter((file) => file !== '/dev/null').map((file) => toRaw(realFolder(file)));
}
