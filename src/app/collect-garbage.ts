import path from 'node:path';
import { LoopError } from '../base/index.ts';
import { isTerminal } from '../core/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import {
  type CarePlace,
  type Leftover,
  leftoversOf,
  leftoversOfRoot,
  loopAsLeftover,
  type Retention,
  removeLeftovers,
  removeLoop,
  sqliteLock,
  whileUnowned,
} from '../store/index.ts';
import { isTagged } from './adapters/views.ts';
import type { LoopView } from './loop-view.ts';
import { listLoops } from './read-loops.ts';
import { refreshQuietly } from './registry.ts';
import { leftRestarts, removeLeftRestart } from './restart/restart.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { dropWorktree, type WorktreeRemoval } from './worktree-remove.ts';

const retentionDays = 30;
const dayMs = 86_400_000;

/** What was removed, or would be. */
export interface GarbageReport {
  readonly dryRun: boolean;
  readonly removed: readonly Leftover[];
  readonly freedBytes: number;
  /** Ended loops that were skipped because a process holds them. */
  readonly busy: readonly string[];
  /** Worktrees and branches that stay, and why. */
  readonly kept: readonly KeptWorktree[];
}

type KeptWorktree = WorktreeRemoval['kept'][number];

/** What to remove. */
export interface GarbageOptions {
  readonly dryRun: boolean;
  /** Also remove loops that ended long ago. */
  readonly loops: boolean;
  readonly nowMs: number;
  readonly env: NodeJS.ProcessEnv;
  /** The folder in which the user is. */
  readonly cwd?: string;
}

/** Removes files that ended loops no longer need. Never touches a loop that is active or can be resumed. */
export async function collectGarbage(place: LoopPlace, options: GarbageOptions): Promise<GarbageReport> {
  const { dryRun, loops, nowMs, env } = options;
  const beforeMs = nowMs - retentionDays * dayMs;
  const retention: Retention = { beforeMs, isKept: isTagged };
  const store = openStore(place);
  const removed: Leftover[] = [];
  const busy: string[] = [];
  const kept: KeptWorktree[] = [];
  for (const view of listLoops(place).loops) {
    if (!isTerminal(view.loop.status)) continue;
    const found = store.place(view.loop.id);
    const folder: CarePlace = { ...found, files: { ...nodeCareFiles, ...found.files } };
    try {
      const dropped = await dropLanded(view, { place, options });
      removed.push(...dropped.removed.map((path) => ({ path, bytes: 0, why: `${view.loop.id} has landed` })));
      kept.push(...dropped.kept);
      const remove = loops && isOlder(view, beforeMs) ? removeWhole : removeParts;
      const step = () => remove(folder, { dryRun, retention });
      removed.push(...(dryRun ? step() : whileUnowned(folder, sqliteLock, step)));
    } catch (error) {
      if (!(error instanceof LoopError) || error.failure.code !== 'LOOP_LOCKED') throw error;
      busy.push(view.loop.id);
    }
  }
  const rootLeftovers = leftoversOfRoot(nodeCareFiles, place.root, retention);
  if (!dryRun) removeLeftovers(nodeCareFiles, rootLeftovers);
  removed.push(...rootLeftovers);
  // After the loops, so that loops removed just now are covered too.
  for (const left of leftRestarts(place, env)) {
    if (!dryRun) removeLeftRestart(left, place, env);
    removed.push({ path: left.file, bytes: left.bytes, why: `would restart ${left.loopId}, which has ended` });
  }
  if (!dryRun && nodeCareFiles.look(place.root)) refreshQuietly(place);
  const freedBytes = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  return { dryRun, removed: removed.map((each) => shown(each, place)), freedBytes, busy, kept };
}

/** Removes the worktree of a loop once its work is elsewhere. */
async function dropLanded(
  { loop, folder }: LoopView,
  { place, options }: { readonly place: LoopPlace; readonly options: GarbageOptions },
): Promise<WorktreeRemoval> {
  const { env, dryRun, cwd } = options;
  const repository = place.workingDirectory;
  return await dropWorktree({ loop, folder, repository, env, dryRun, force: false, ...(cwd && { cwd }) });
}

interface Tidying {
  readonly dryRun: boolean;
  readonly retention: Retention;
}

function removeParts(folder: CarePlace, { dryRun, retention }: Tidying): readonly Leftover[] {
  const leftovers = leftoversOf(folder, retention);
  if (!dryRun) removeLeftovers(nodeCareFiles, leftovers);
  return leftovers;
}

function removeWhole(folder: CarePlace, { dryRun }: Tidying): readonly Leftover[] {
  const whole = loopAsLeftover(folder, `loop that ended more than ${retentionDays} days ago`);
  if (!dryRun) removeLoop(folder);
  return [whole];
}

function isOlder({ loop }: LoopView, beforeMs: number): boolean {
  return loop.outcome.endedAt !== undefined && Date.parse(loop.outcome.endedAt) < beforeMs;
}

function shown(leftover: Leftover, { root }: LoopPlace): Leftover {
  const below = path.relative(root, leftover.path);
  return { ...leftover, path: below.startsWith('..') ? leftover.path : below };
}
