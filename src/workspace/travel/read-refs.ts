import path from 'node:path';
import { git } from '../git.ts';
import { isReadError } from '../unreadable.ts';
import type { KeptRef } from './capture-message.ts';
import type { Carrier } from './carrier.ts';

/** What the repository of a work tree holds besides files. */
export interface LocalRefs {
  readonly head: string;
  readonly branch?: string;
  /** Branches, refs of ralphd such as the protected files, and the newest stash. */
  readonly refs: readonly KeptRef[];
}

const maxRefs = 200;

/** Reads the refs of a work tree; undefined where an agent has damaged its repository so that git cannot. */
export async function readLocalRefs({ top }: Carrier, env: NodeJS.ProcessEnv): Promise<LocalRefs | undefined> {
  // Named, or git would answer for a repository around a work tree that has none any more.
  const ask = async (...args: readonly string[]) => {
    const all = [`--git-dir=${path.join(top, '.git')}`, ...args];
    return (await git(top, { args: all, env })).toString();
  };
  try {
    const head = (await ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')).trim();
    const symbolic = await ask('rev-parse', '--symbolic-full-name', 'HEAD');
    const branch = /^refs\/heads\/\S+$/m.exec(symbolic)?.[0];
    const format = '--format=%(objecttype) %(objectname) %(refname)';
    const listed = await ask('for-each-ref', format, 'refs/heads/', 'refs/ralphd/', 'refs/stash');
    const refs = [...listed.matchAll(/^commit ([0-9a-f]+) (\S+)$/gm)].map(([, id = '', name = '']) => ({ id, name }));
    return { head, ...(branch === undefined ? {} : { branch }), refs: refs.slice(0, maxRefs) };
  } catch (error) {
    if (!isReadError(error)) throw error;
    return undefined;
  }
}
