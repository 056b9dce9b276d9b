import type { BackupStanding } from '../../app/index.ts';
import { roughDuration } from '../../base/index.ts';
import { oneLine } from '../output/plain.ts';

/** How the backup targets of a loop stand, one row each. */
export function backupRows(
  standings: readonly BackupStanding[] | undefined,
  nowMs: number,
): readonly (readonly [string, string])[] {
  return (standings ?? []).map((standing) => ['backup', standingText(standing, nowMs)]);
}

function standingText({ target, last, missingFacts, problem }: BackupStanding, nowMs: number): string {
  const trouble = problem === undefined ? '' : `; the newest attempt failed: ${oneLine(problem.why, 200)}`;
  if (last === undefined) return `${target}: none yet${trouble}`;
  const age = roughDuration(Math.max(0, nowMs - Date.parse(last.at)));
  const facts = missingFacts === 1 ? '1 fact since' : `${missingFacts} facts since`;
  return `${target}: ${age} ago, after iteration ${last.iteration}; ${facts}${trouble}`;
}
