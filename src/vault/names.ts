import path from 'node:path';
import { keyFileName } from './key-record.ts';

/**
 * How a file of an encrypted loop is written: `clear` as it is, `sealed` always encrypted, `later` in clear text while an
 * agent works and encrypted afterwards.
 */
export type FileRule = 'clear' | 'sealed' | 'later';

/** A file of a loop. */
export interface NamedFile {
  readonly rule: FileRule;
  /** The name that its content is bound to; undefined for one that was put aside under another name. */
  readonly name?: string;
}

/** Needed without the key: who runs the loop, and the key itself. `reserve` holds random bytes. */
const clearNames: ReadonlySet<string> = new Set([
  keyFileName,
  'lock',
  'owner.json',
  'reserve',
  'landing.json',
  'backup.json',
]);
const temporary = /^\.(.+)\.[^.]+\.tmp$/;
const putAside = /\.(broken|superseded|discarded|removed)(\b|$)|\.broken-|\.replaced-|\.format-\d+$/;
/** Written by the process that keeps the agent, which never has the key. They contain numbers of processes and exit codes. */
const keeperFile = /^iterations\/[^/]+\/[^/]+\/(started|exit|overdue)$/;

/** Whether an agent, or git for the diff of a run, writes a file, which is then in clear text at first. */
export function isWrittenByOthers({ rule, name }: NamedFile): boolean {
  return rule === 'later' || (name?.startsWith('diffs/') ?? false);
}

/** What a path below one of the folders of a loop is; undefined for a path that is not below it. */
export function nameFile(folder: string, place: string): NamedFile | undefined {
  const below = path.relative(folder, place);
  if (below === '' || below.startsWith('..') || path.isAbsolute(below)) return undefined;
  const base = path.basename(below);
  const final = temporary.exec(base)?.[1] ?? base;
  const name = path.join(path.dirname(below), final).split(path.sep).join('/');
  if (clearNames.has(final) || keeperFile.test(name)) return { rule: 'clear' };
  const rule = name.startsWith('iterations/') ? 'later' : 'sealed';
  return putAside.test(name) ? { rule } : { rule, name };
}
