import { git, type PrivateRepository } from '../git.ts';
import { type CaptureNote, readNote } from './capture-message.ts';

/** What a commit says about the work tree that it carries; undefined for one that carries none. */
export async function noteOf(
  repository: PrivateRepository,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<CaptureNote | undefined> {
  const printed = await git(repository.folder, { args: ['cat-file', 'commit', commit], env, repository });
  return readNote(printed.toString());
}
