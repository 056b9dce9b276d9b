import { type Loop, type Report, reportOf } from '../core/index.ts';
import { type FileDiff, readDiffStat } from '../workspace/index.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { readFacts } from './adapters/whole-journal.ts';
import type { AppContext } from './agent-programs.ts';
import { thisMachine } from './machine.ts';
import { type ChainLink, readChain } from './read-chain.ts';
import { findLoop } from './read-loops.ts';
import { diffPlaceOf, type LoopPlace } from './stores.ts';

/** The report of a loop, with the files that changed since it started. */
export interface LoopReport {
  readonly report: Report;
  readonly loop: Loop;
  /** Missing outside git and before the first change; null if the stored diffs were removed. */
  readonly files?: readonly FileDiff[] | null;
  /** The loops that led to this one and those that continue it, with this one; missing if it stands alone. */
  readonly chain?: readonly ChainLink[];
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
  const found = { report, loop, ...(chain.length === 0 ? {} : { chain }) };
  const { trees } = report.work;
  if (trees === undefined) return found;
  const { workingDirectory } = loop.origin;
  const files = await readDiffStat(diffPlaceOf({ folder, workingDirectory }, env), trees);
  return { ...found, files: redactorFor(env, loop.config).redactDeep(files) ?? null };
}
