import { type Loop, type Report, reportOf } from '../core/index.ts';
import { type FileDiff, type Patch, readDiffStat, readPatch } from '../workspace/index.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { readFacts } from './adapters/whole-journal.ts';
import type { AppContext } from './agent-programs.ts';
import { thisMachine } from './machine.ts';
import { type ChainLink, readChain } from './read-chain.ts';
import { findLoop } from './read-loops.ts';
import { type WorkElsewhere, workElsewhere } from './remote-loops.ts';
import { diffPlaceOf, type LoopPlace } from './stores.ts';

/** The report of a loop, with the files that changed since it started. */
export interface LoopReport {
  readonly report: Report;
  readonly loop: Loop;
  /** Missing outside git and before the first change; null if the stored diffs were removed. */
  readonly files?: readonly FileDiff[] | null;
  /** The loops that led to this one and those that continue it, with this one; missing if it stands alone. */
  readonly chain?: readonly ChainLink[];
  /** Where its work is, if it was not done here; then the stored diffs are there too. */
  readonly work?: WorkElsewhere;
}

/** The report of the loop a user means. */
export async function readReport(
  place: LoopPlace,
  query: string | undefined,
  { env }: Pick<AppContext, 'env'>,
): Promise<LoopReport> {
  const { loop, shownStatus, folder } = findLoop(place, query, { orNewest: true });
  const nowMs = thisMachine.clock.nowMs();
  const report = reportOf(loop, readFacts(place, loop.id), { nowMs, shownStatus });
  const chain = await readChain(place, loop);
  const work = await workElsewhere(place, loop.id);
  const found = { report, loop, ...(chain.length === 0 ? {} : { chain }), ...(work && { work }) };
  const { trees } = report.work;
  if (trees === undefined) return found;
  const { workingDirectory } = loop.origin;
  const files = await readDiffStat(diffPlaceOf({ folder, workingDirectory }, env), trees);
  return { ...found, files: redactorFor(env, loop.config).redactDeep(files) ?? null };
}

const maxPatchBytes = 2 * 1024 * 1024;

/** The lines that a loop has changed since it started; null where they are not stored. */
export async function readLoopDiff(
  place: LoopPlace,
  loopId: string,
  { env }: Pick<AppContext, 'env'>,
): Promise<{ readonly files: readonly FileDiff[] | null; readonly patch: Patch | null }> {
  const { loop, folder } = findLoop(place, loopId);
  const trees = readFacts(place, loopId).flatMap((fact) =>
    fact.type === 'agent.finished' ? (fact.data.changes.trees ?? []) : [],
  );
  const [first, last] = [trees[0], trees.at(-1)];
  if (first === undefined || last === undefined) return { files: null, patch: null };
  const kept = diffPlaceOf({ folder, workingDirectory: loop.origin.workingDirectory }, env);
  const between = { before: first.before, after: last.after };
  const files = (await readDiffStat(kept, between)) ?? null;
  const patch = (await readPatch(kept, between, maxPatchBytes)) ?? null;
  return redactorFor(env, loop.config).redactDeep({ files, patch });
}
