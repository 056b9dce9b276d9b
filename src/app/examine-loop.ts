import path from 'node:path';
import { failures, LoopError, shellWord } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import {
  findOddities,
  isLockHeld,
  type LoopFolder,
  type LoopOnDisk,
  type Oddity,
  type Problem,
  readWholeJournal,
  sqliteLock,
  storedDocuments,
} from '../store/index.ts';
import { foldState } from './adapters/fold-state.ts';
import { standingsOf } from './backups/records.ts';
import type { Finding } from './finding.ts';
import { vault } from './keys.ts';
import { notificationProblems } from './notification-records.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { unsentProblems } from './unsent-notifications.ts';

/** What was examined in one loop, and what was found. */
export interface LoopExamination {
  /** How many facts were read and verified. */
  readonly facts: number;
  readonly findings: readonly Finding[];
}

/** Examines one loop: its files, its whole journal, every copy of its state, and who owns it. */
export function examineLoop(place: LoopPlace, loopId: string): LoopExamination {
  const store = openStore(place);
  const folder = store.place(loopId);
  try {
    const isHeld = isLockHeld(folder, sqliteLock);
    const found = store.read(loopId);
    const whole = readWholeJournal(folder);
    const known = new Set(found.problems.map(({ message }) => message));
    const copies = [...storedDocuments(folder)].flatMap((stored) => ('problem' in stored ? [stored.problem] : []));
    const isNew = ({ message }: Problem) => !known.has(message);
    const isMidWrite = ({ kind }: Problem) => kind === 'torn_tail' && found.owner?.liveness === 'alive';
    const isReportable = (problem: Problem) => !isMidWrite(problem) && !isExplained(problem);
    return {
      facts: whole.entries.length,
      findings: [
        ...findOddities(nodeCareFiles, folder.folder).map(oddity),
        ...found.problems.filter(isReportable).map((problem) => damage(problem, `ralphd recover ${loopId}`)),
        ...whole.problems
          .filter((problem) => isNew(problem) && isReportable(problem))
          .map((problem) =>
            damage(
              problem,
              `The state is intact, but part of its history is lost. Keep a copy: "ralphd backup ${loopId}".`,
            ),
          ),
        ...copies.filter(isNew).map((problem) => damage(problem, `rm ${shellWord(problem.file)}`)),
        ...partlyEncrypted(place, loopId),
        ...staleSnapshot(found),
        ...undelivered(folder, loopId),
        ...unsent(place, loopId),
        ...notBackedUp(folder.folder, found),
        ...ownership(found, isHeld),
        ...(isHeld
          ? []
          : unlocked(
              found,
              () => isLockHeld(folder, sqliteLock),
              () => store.read(loopId).owner,
            )),
      ],
    };
  } catch (error) {
    const refused = unreadable(folder.folder, error);
    // What is odd about its files says more, and has a fix of its own.
    const odd = findOddities(nodeCareFiles, folder.folder).map(oddity);
    return { facts: 0, findings: odd.length > 0 ? odd : [refused] };
  }
}

function partlyEncrypted({ root }: LoopPlace, loopId: string): readonly Finding[] {
  const where = path.join(root, 'loops', loopId);
  const locked = vault.loopAt({ files: nodeCareFiles, loopId, folder: where });
  if (locked === undefined || locked.unlock().complete) return [];
  const what = 'Its encryption was interrupted: some files are still in clear text.';
  return [{ level: 'problem', where, what, fix: `ralphd key encrypt ${loopId}` }];
}

/** A file that cannot be read, described by its error. */
export function unreadable(where: string, error: unknown): Finding {
  if (!(error instanceof LoopError)) throw error;
  return { level: 'problem', where, what: error.failure.message, fix: error.failure.hint };
}

/** Channels whose newest delivery failed. */
function undelivered(place: LoopFolder, loopId: string): readonly Finding[] {
  return notificationProblems(place).map((what) => ({
    level: 'note',
    where: place.folder,
    what,
    fix: `ralphd notify test sends a test message; ralphd notify history ${loopId} shows what was sent.`,
  }));
}

/** What a dead process did not send. */
function unsent(place: LoopPlace, loopId: string): readonly Finding[] {
  const where = openStore(place).place(loopId).folder;
  const fix = `ralphd notify send ${loopId}`;
  return unsentProblems(place, loopId).map((what) => ({ level: 'problem', where, what, fix }));
}

/** Backup targets whose newest attempt failed, or that have less than a loop that rests. */
function notBackedUp(where: string, { loopId, lastSeq, owner }: LoopOnDisk): readonly Finding[] {
  const isDriven = owner?.liveness === 'alive';
  return standingsOf(where, lastSeq).flatMap(({ target, last, missingFacts, problem }) => {
    // The fact that records a backup comes after it.
    const isBehind = !isDriven && missingFacts > 1;
    if (problem === undefined && !isBehind) return [];
    const newest = last === undefined ? 'there is none yet' : `the newest one is of ${last.at}`;
    const why = problem === undefined ? `${missingFacts} facts were recorded since` : problem.why;
    const what = `The backup in "${target}" is not up to date (${newest}): ${why}`;
    const fix = isDriven ? {} : { fix: `ralphd backup push ${loopId}` };
    return [{ level: isDriven ? 'note' : 'problem', where, what, ...fix }];
  });
}

const harmless: ReadonlySet<Problem['kind']> = new Set(['ignored_bytes', 'stale_segment', 'torn_tail']);

/** The source of a rebuilt state is not damage, and superseded files of a restore are kept on purpose. */
function isExplained({ kind, file }: Problem): boolean {
  if (kind === 'rebuilt') return true;
  if (kind !== 'ignored_bytes') return false;
  const names = nodeCareFiles.list(path.dirname(file));
  return names.some((name) => name.startsWith(`${path.basename(file)}.`) && name.endsWith('.superseded'));
}

function damage({ kind, file, message }: Problem, fix: string): Finding {
  if (!harmless.has(kind)) return { level: 'problem', where: file, what: message, fix };
  return { level: 'note', where: file, what: `${message} None of it was acknowledged: nothing is lost.` };
}

/** A process killed between the last fact and the last snapshot leaves an outdated state.json. */
function staleSnapshot(found: LoopOnDisk): readonly Finding[] {
  const { loopId, folder, snapshot, entries, owner } = found;
  if (snapshot === undefined || entries.length === 0 || owner?.liveness === 'alive') return [];
  const { status } = foldState(found);
  if (!isTerminal(status) || isTerminal(foldState({ loopId, snapshot, entries: [] }).status)) return [];
  const what = `It was written before the loop ended, so programs that read it do not know that the loop is ${status}.`;
  return [{ level: 'problem', where: path.join(folder, 'state.json'), what, fix: `ralphd recover ${loopId}` }];
}

function ownership(found: LoopOnDisk, isHeld: boolean): readonly Finding[] {
  const { loopId, folder: where, owner } = found;
  if (owner?.liveness === 'alive' || isTerminal(foldState(found).status)) return [];
  if (isHeld) {
    const what = 'An unknown process holds the lock.';
    return [{ level: 'problem', where, what, fix: 'Find it with "fuser" or "lsof" on the lock file, and end it.' }];
  }
  if (owner === undefined) return [];
  if (owner.liveness === 'unknown') {
    const { message: what, hint: fix } = failures.ownerUnknown(loopId, owner);
    return [{ level: 'note', where, what, fix }];
  }
  const what = `Process ${owner.pid} died while it ran the loop; nothing was lost.`;
  return [{ level: 'note', where, what, fix: `ralphd resume ${loopId}` }];
}

/** An owner without a lock; checked twice, because owners may change in between. */
function unlocked(
  { loopId, folder: where, owner }: LoopOnDisk,
  isHeldNow: () => boolean,
  ownerNow: () => LoopOnDisk['owner'],
): readonly Finding[] {
  if (owner?.liveness !== 'alive' || isHeldNow() || ownerNow()?.liveness !== 'alive') return [];
  const what = `Process ${owner.pid} is recorded as the owner of the loop, but does not hold its lock.`;
  return [{ level: 'problem', where, what, fix: `End process ${owner.pid}, then: ralphd resume ${loopId}` }];
}

/** What to do about an unusual file or folder. */
export function oddity({ path: where, kind }: Oddity): Finding {
  return { level: 'problem', where, ...describeOddity(kind, shellWord(where)) };
}

function describeOddity(kind: Oddity['kind'], file: string): Pick<Finding, 'what' | 'fix'> {
  switch (kind) {
    case 'link':
      return {
        what: 'It is a symbolic link, which ralphd never follows.',
        // A copy of what it points to takes its place.
        fix: `cp -RL ${file} ${file}.copy && rm ${file} && mv ${file}.copy ${file}`,
      };
    case 'special':
      return { what: 'It is neither a file nor a folder.', fix: `rm ${file}` };
    case 'open_to_others':
      return { what: 'Other users of this machine can read or change it.', fix: `chmod go-rwx ${file}` };
    case 'foreign_owner':
      return {
        what: 'It belongs to another user.',
        fix: `sudo chown -R "$(id -un)" ${file}`,
      };
  }
}
