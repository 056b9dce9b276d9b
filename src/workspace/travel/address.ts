import { createHash } from 'node:crypto';
import { failures, LoopError } from '../../base/index.ts';

/** `ext::` and its like name a program to run instead of a place. */
const helper = /^[a-z0-9+.-]+::/i;
const unprintable = /[\x00-\x1f\x7f]/;
const password = /^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i;

/** Refuses what is no address of a repository, or would make git run a program. */
export function assertAddress(repository: string): void {
  if (repository.trim() === '') throw new LoopError(failures.travelAddress(repository, 'it is empty'));
  if (repository.startsWith('-')) throw new LoopError(failures.travelAddress(repository, 'it starts with "-"'));
  if (unprintable.test(repository)) throw new LoopError(failures.travelAddress('', 'it has control characters'));
  if (helper.test(repository)) throw new LoopError(failures.travelAddress(repository, 'it names a helper program'));
}

/** An address without the user and the password in it, as people and agents may see it. */
export function shownAddress(repository: string): string {
  return repository.replace(password, '$1');
}

/** A text from git without passwords that are part of an address. */
export function withoutPasswords(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/@\s]*@/gi, '$1');
}

/** A folder name of its own for each address. */
export function folderNameOf(repository: string): string {
  const last = /([A-Za-z0-9_-]+)(?:\.git)?\/*$/.exec(repository)?.[1] ?? 'repository';
  return `${last.slice(0, 40)}-${createHash('sha256').update(repository).digest('hex').slice(0, 16)}`;
}
