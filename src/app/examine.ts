import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { isOwnRegistry } from '../formats/index.ts';
import {
  findOddities,
  isLockHeld,
  type LoopOnDisk,
  nodeCareFiles,
  type Oddity,
  oddityAt,
  type Problem,
  readRegistry,
  readWholeJournal,
  registryPath,
  sqliteLock,
  storedDocuments,
} from '../store/index.ts';
import type { Finding } from './finding.ts';
import { findForeignState } from './foreign-state.ts';
import { foldState } from './ports/store-port.ts';
import { type LoopPlace, openStore } from './stores.ts';

/** What the doctor looked at and found. */
export interface Examination {
  readonly root: string;
  readonly loops: number;
  /** How many facts were read and verified. */
  readonly facts: number;
  readonly findings: readonly Finding[];
}

const littleSpace = 100 * 1024 * 1024;

/** Looks at everything under a state folder, reading every journal whole. Changes nothing. */
export function examine(place: LoopPlace): Examination {
  const { root } = place;
  const isThere = nodeCareFiles.look(root) !== undefined;
  const { ids, findings: unlisted } = listSafely(place);
  const examined = ids.map((loopId) => examineLoop(place, loopId));
  return {
    root,
    loops: examined.length,
    facts: examined.reduce((sum, { facts }) => sum + facts, 0),
    findings: [
      ...unlisted,
      ...(isThere && unlisted.length === 0 ? [...folders(root), ...space(root), ...registry(root)] : []),
      ...examined.flatMap(({ findings }) => findings),
      ...findForeignState(place.workingDirectory, root),
    ],
  };
}

function listSafely(place: LoopPlace): { readonly ids: readonly string[]; readonly findings: readonly Finding[] } {
  try {
    return { ids: openStore(place).list(), findings: [] };
  } catch (error) {
    return { ids: [], findings: [unreadable(place.root, error)] };
  }
}

function unreadable(where: string, error: unknown): Finding {
  if (!(error instanceof LoopError)) throw error;
  return { level: 'problem', where, what: error.failure.message, fix: error.failure.hint };
}

function examineLoop(
  place: LoopPlace,
  loopId: string,
): { readonly facts: number; readonly findings: readonly Finding[] } {
  const store = openStore(place);
  const folder = store.place(loopId);
  try {
    const found = store.read(loopId);
    const whole = readWholeJournal(folder);
    const isLive = found.owner?.alive === true;
    const problems = [...found.problems, ...whole.problems].filter(
      (problem) => !(isLive && problem.kind === 'torn_tail') && !isExplained(problem),
    );
    const copies = [...storedDocuments(folder)].flatMap((stored) => ('problem' in stored ? [stored.problem] : []));
    const unique = [...new Map([...problems, ...copies].map((problem) => [problem.message, problem])).values()];
    return {
      facts: whole.entries.length,
      findings: [
        ...findOddities(nodeCareFiles, folder.folder).map(oddity),
        ...unique.map((problem) => damage(loopId, problem)),
        ...ownership(found, isLockHeld(folder, sqliteLock)),
      ],
    };
  } catch (error) {
    return { facts: 0, findings: [unreadable(folder.folder, error)] };
  }
}

const harmless: ReadonlySet<Problem['kind']> = new Set(['ignored_bytes', 'stale_segment', 'torn_tail']);

/** Where a state was rebuilt from is no damage, and what a restore left behind has its own file. */
function isExplained({ kind, file }: Problem): boolean {
  if (kind === 'rebuilt') return true;
  if (kind !== 'ignored_bytes') return false;
  const names = nodeCareFiles.list(path.dirname(file));
  return names.some((name) => name.startsWith(`${path.basename(file)}.`) && name.endsWith('.superseded'));
}

function damage(loopId: string, { kind, file, message }: Problem): Finding {
  const level = harmless.has(kind) ? 'note' : 'problem';
  const fix =
    level === 'note' ? 'Nothing needs to be done: nothing of it was acknowledged.' : `ralphd recover ${loopId}`;
  return { level, where: file, what: message, fix };
}

function ownership(found: LoopOnDisk, isHeld: boolean): readonly Finding[] {
  const { loopId, folder: where, owner } = found;
  if (owner?.alive === true) {
    if (isHeld) return [];
    const what = `Process ${owner.pid} says that it drives the loop, but does not hold its lock.`;
    return [{ level: 'problem', where, what, fix: `End process ${owner.pid}, then: ralphd resume ${loopId}` }];
  }
  if (isHeld) {
    const what = 'Some process holds the lock without saying which it is.';
    return [{ level: 'problem', where, what, fix: 'Find it with "fuser" or "lsof" on the lock file, and end it.' }];
  }
  if (owner === undefined || isTerminal(foldState(found).status)) return [];
  const what = `Process ${owner.pid} died while it drove the loop; nothing is lost.`;
  return [{ level: 'note', where, what, fix: `ralphd resume ${loopId}, or ralphd abort ${loopId}` }];
}

/** Only what is ours: other tools may keep files of their own in the same folder. */
function folders(root: string): readonly Finding[] {
  const own = [root, path.join(root, 'loops'), registryPath(root)];
  return own.flatMap((place) => oddityAt(nodeCareFiles, place)).map(oddity);
}

function oddity({ path: where, kind }: Oddity): Finding {
  return { level: 'problem', where, ...said(kind, where) };
}

function said(kind: Oddity['kind'], where: string): Pick<Finding, 'what' | 'fix'> {
  switch (kind) {
    case 'link':
      return {
        what: 'It is a symbolic link, which ralphd never follows.',
        fix: `Replace it by what it points to: ${where}`,
      };
    case 'special':
      return { what: 'It is neither a file nor a folder.', fix: `rm ${where}` };
    case 'open_to_others':
      return { what: 'Other users of this machine may look at or change it.', fix: `chmod go-rwx ${where}` };
    case 'foreign_owner':
      return {
        what: 'It belongs to another user.',
        fix: `Give it to the user who runs ralphd: chown "$USER" ${where}`,
      };
  }
}

function space(root: string): readonly Finding[] {
  const free = nodeCareFiles.freeBytes(root);
  if (free >= littleSpace) return [];
  const what = `Only ${Math.floor(free / 1024 / 1024)} MiB are free on this disk; a full one pauses every loop.`;
  return [{ level: 'problem', where: root, what, fix: 'Free some space, for example with: ralphd gc --loops' }];
}

function registry(root: string): readonly Finding[] {
  const where = registryPath(root);
  const found = readRegistry({ files: nodeCareFiles, root });
  if (found.kind !== 'document') {
    if (found.kind === 'missing') return [];
    return [{ level: 'problem', where, what: 'The registry cannot be read.', fix: 'ralphd gc makes it anew.' }];
  }
  if (isOwnRegistry(found.document)) return [];
  const what = 'The registry was written by another program.';
  return [
    {
      level: 'problem',
      where,
      what,
      fix: `Keep the loops of ralphd elsewhere: --state-dir ${path.join('.', '.ralphd')}`,
    },
  ];
}
