import type { PruneReport } from '../../app/index.ts';
import { roughDuration, roughSize } from '../../base/index.ts';
import { columnLines } from './columns.ts';
import { oneLine } from './plain.ts';

const mostListed = 50;

/** What was removed from a fleet, or would be. */
export function pruneLines(
  { removed, isDone }: PruneReport,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): readonly string[] {
  if (removed.length === 0) return ['Nothing to remove: no loop ended that long ago.'];
  const shown = removed.slice(0, mostListed);
  const bytes = removed.reduce((sum, each) => sum + each.bytes, 0);
  const total = `${removed.length} ${removed.length === 1 ? 'loop' : 'loops'}, ${roughSize(bytes)}`;
  const rest = removed.length - shown.length;
  return [
    ...columnLines(
      [
        { title: 'loop', cells: shown.map(({ loop }) => loop), rank: 0 },
        {
          title: 'ended',
          cells: shown.map((each) => `${roughDuration(nowMs - Date.parse(each.endedAt))} ago`),
          rank: 1,
        },
        { title: 'facts', cells: shown.map(({ facts }) => String(facts)), isRight: true, rank: 2 },
        { title: 'task', cells: shown.map(({ title }) => oneLine(title)), rank: 3, isFlexible: true },
      ],
      width,
    ),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    isDone
      ? `Removed ${total}. Workers delete their files and captures within the hour.`
      : `Would remove ${total}, with facts, captures and what workers have on disk. Nothing is removed without --yes.`,
  ];
}
