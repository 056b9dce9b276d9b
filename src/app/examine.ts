import path from 'node:path';
import { failures } from '../base/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import { isOwnRegistry } from '../formats/index.ts';
import { findTop } from '../gate/index.ts';
import { oddityAt, readRegistry, registryPath } from '../store/index.ts';
import { examineLoop, oddity, unreadable } from './examine-loop.ts';
import type { Finding } from './finding.ts';
import { findForeignState } from './foreign-state.ts';
import { lostLoops } from './lost-loops.ts';
import { leftRestarts } from './restart/restart.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { leftClaims } from './worktree-claim.ts';

/** What the doctor examined and found. */
export interface Examination {
  readonly root: string;
  readonly loops: number;
  /** How many facts were read and verified. */
  readonly facts: number;
  readonly findings: readonly Finding[];
}

/** Examines everything below a state folder, including every journal in full. Changes nothing. */
export function examine(place: LoopPlace, env: NodeJS.ProcessEnv): Examination {
  const { root } = place;
  const { ids, findings: unlisted } = listSafely(place);
  // A folder that cannot be listed may not even be a possible path.
  const isReadable = unlisted.length === 0 && nodeCareFiles.look(root) !== undefined;
  const examined = ids.map((loopId) => examineLoop(place, loopId));
  return {
    root,
    loops: examined.length,
    facts: examined.reduce((sum, { facts }) => sum + facts, 0),
    findings: [
      ...unlisted,
      ...(isReadable ? [...folders(root), ...registry(root)] : []),
      ...examined.flatMap(({ findings }) => findings),
      ...lost(place, env, ids),
      ...restarts(place, env),
      ...leftWorktrees(place),
      ...findForeignState(place.workingDirectory, root),
    ],
  };
}

/** Loops that a resume can restore. */
function lost(place: LoopPlace, env: NodeJS.ProcessEnv, known: readonly string[]): readonly Finding[] {
  return lostLoops(place, env, known).map((loopId) => {
    const { message: what, hint: fix } = failures.loopFolderGone(loopId);
    return { level: 'problem', where: path.join(place.root, 'loops', loopId), what, fix };
  });
}

function listSafely(place: LoopPlace): { readonly ids: readonly string[]; readonly findings: readonly Finding[] } {
  try {
    return { ids: openStore(place).list(), findings: [] };
  } catch (error) {
    return { ids: [], findings: [unreadable(place.root, error)] };
  }
}

/** Only ralphd's files: other tools may keep theirs in the same folder. */
function folders(root: string): readonly Finding[] {
  const own = [root, path.join(root, 'loops'), registryPath(root)];
  return own.flatMap((place) => oddityAt(nodeCareFiles, place)).map(oddity);
}

function restarts(place: LoopPlace, env: NodeJS.ProcessEnv): readonly Finding[] {
  return leftRestarts(place, env).map(({ loopId, file }) => ({
    level: 'note',
    where: file,
    what: `It would restart ${loopId}, which has ended or is gone.`,
    fix: 'ralphd gc',
  }));
}

/** Worktrees whose creator died before their loop existed. */
function leftWorktrees({ workingDirectory }: LoopPlace): readonly Finding[] {
  return leftClaims(findTop(workingDirectory)).map(({ name, path: where }) => ({
    level: 'problem',
    where,
    what: 'This worktree belongs to no loop: the process that created it died.',
    fix: `The next "ralphd run --worktree=${name}" takes its place, or says how to remove it.`,
  }));
}

function registry(root: string): readonly Finding[] {
  const where = registryPath(root);
  const found = readRegistry({ files: nodeCareFiles, root });
  if (found.kind !== 'document') {
    if (found.kind === 'missing') return [];
    return [{ level: 'problem', where, what: 'The registry cannot be read.', fix: 'ralphd gc' }];
  }
  if (isOwnRegistry(found.document)) return [];
  const what = 'The registry was written by another program.';
  return [
    {
      level: 'problem',
      where,
      what,
      fix: 'Keep the loops of ralphd elsewhere: set "stateDir: .ralphd" in ralphd.yml.',
    },
  ];
}
