import { readWhole } from '../../files/index.ts';
import type { Problem } from '../problem.ts';
import type { Chain } from './chain.ts';
import { claimedPrevious, foreignLoopOf, type JournalPlace, segmentPath } from './head.ts';
import { origin } from './line.ts';
import { hasSoundLine } from './scan.ts';
import { maxSegmentBytes } from './segment.ts';

/** Examines the segments that are not part of the chain: which are lost to damage, which never counted. */
export function examineStrays(
  place: JournalPlace,
  names: readonly string[],
  chain: Chain,
): { readonly problems: readonly Problem[]; readonly lost: readonly string[] } {
  const problems: Problem[] = [];
  const lost: string[] = [];
  const known = new Set(chain.heads.map((head) => head.segment));

  for (const gap of chain.gaps) {
    const file = segmentPath(place, gap.at);
    const what = strangerAt(place, gap.at) ?? 'is missing or damaged at its beginning';
    const message = `${file} ${what}; ${gap.lost.join(', ')} cannot be read without it.`;
    problems.push({ kind: 'corruption', file, message });
    for (const segment of [gap.at, ...gap.lost]) {
      known.add(segment);
      if (names.includes(segment)) lost.push(segment);
    }
  }
  for (const segment of names) {
    if (known.has(segment)) continue;
    const file = segmentPath(place, segment);
    const stranger = strangerAt(place, segment);
    if (stranger !== undefined) {
      problems.push({ kind: 'corruption', file, message: `${file} ${stranger}.` });
      lost.push(segment);
      continue;
    }
    const bytes = readWhole(place.files, file, { limit: maxSegmentBytes });
    if (!holdsLines(bytes)) {
      // A crash leaves this while a segment is being created; worth reporting until the journal continues in another.
      if (bytes.byteLength === 0 || !chain.headless.includes(segment)) continue;
      problems.push({ kind: 'torn_tail', file, message: `${file} has no sound line: its creation was interrupted.` });
    } else if (chain.headless.includes(segment)) {
      problems.push({ kind: 'corruption', file, message: `${file} is damaged at its beginning.` });
      lost.push(segment);
    } else {
      const message = `${file} is not part of the loop's history: its writer had lost the loop, or had abandoned this segment.`;
      problems.push({ kind: 'stale_segment', file, message });
    }
  }
  return { problems, lost };
}

function strangerAt(place: JournalPlace, segment: string): string | undefined {
  const loopId = foreignLoopOf(place, segment);
  return loopId === undefined ? undefined : `belongs to loop ${loopId}, not to this one`;
}

function holdsLines(bytes: Buffer): boolean {
  const end = bytes.indexOf('\n');
  return hasSoundLine(bytes, claimedPrevious(bytes.subarray(0, Math.max(0, end))) ?? origin);
}
