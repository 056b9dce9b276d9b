import { LoopError } from '../../base/index.ts';
import type { LoopRow, NightReport, ReceiptText } from '../../protocol/index.ts';
import type { ServerWords } from '../words.ts';
import type { Fleet } from './fleet.ts';

/** What a report about all loops is made from. */
export interface NightParts {
  readonly fleet: Fleet;
  readonly words: ServerWords;
  readonly nowMs: () => number;
  readonly report: (key: string) => Promise<ReceiptText>;
}

const maxLoops = 100;
const order: readonly LoopRow['group'][] = ['needs you', 'finished', 'running', 'waiting'];

/** Reports what all loops did since an instant; by default since 18:00 of the last evening. */
export function createNightReport({
  fleet,
  words,
  nowMs,
  report,
}: NightParts): (since?: string) => Promise<NightReport> {
  return async (since = lastEvening(new Date(nowMs()))) => {
    const { loops, unreadable } = await fleet.read();
    const active = loops.filter(
      (row) => (row.lastActivityAt ?? row.startedAt ?? '') >= since || row.group === 'needs you',
    );
    const sorted = active.toSorted((one, other) => rankOf(one) - rankOf(other));
    const listed = [];
    for (const row of sorted.slice(0, maxLoops)) listed.push({ row, receipt: await receiptOf(row, report) });
    const counts = countsOf(active);
    const sentence = sentenceOf(counts);
    const documents = await Promise.all(
      listed.map(async ({ receipt }) => (receipt === null ? '' : await words.reportDocument(receipt))),
    );
    return {
      since,
      nowMs: nowMs(),
      sentence,
      counts,
      money: moneyOf(active),
      loops: listed,
      omitted: active.length - listed.length,
      unreadable,
      markdown: [`# ${sentence}`, ...documents.filter((text) => text !== '')].join('\n\n'),
    };
  };
}

/** Of the last evening, in the time of this machine. */
function lastEvening(now: Date): string {
  const evening = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 18);
  if (evening.getTime() > now.getTime()) evening.setDate(evening.getDate() - 1);
  return evening.toISOString();
}

function rankOf({ group, state }: LoopRow): number {
  const isProven = state === 'proven';
  return 2 * order.indexOf(group) + (group === 'finished' && !isProven ? 1 : 0);
}

async function receiptOf({ key }: LoopRow, report: NightParts['report']): Promise<ReceiptText | null> {
  try {
    return await report(key);
  } catch (error) {
    if (error instanceof LoopError) return null;
    throw error;
  }
}

function countsOf(rows: readonly LoopRow[]): NightReport['counts'] {
  const count = (isCounted: (row: LoopRow) => boolean) => rows.filter(isCounted).length;
  return {
    needYou: count(({ group }) => group === 'needs you'),
    proven: count(({ state }) => state === 'proven'),
    notProven: count(({ group, state }) => group === 'finished' && state !== 'proven'),
    running: count(({ group }) => group === 'running'),
    waiting: count(({ group }) => group === 'waiting'),
  };
}

function sentenceOf({ needYou, proven, notProven, running, waiting }: NightReport['counts']): string {
  const parts = [
    needYou === 0 ? 'Nothing needs you.' : `${needYou} ${needYou === 1 ? 'loop needs' : 'loops need'} you.`,
    ...(proven === 0 ? [] : [`${proven} ${proven === 1 ? 'task is' : 'tasks are'} proven.`]),
    ...(notProven === 0 ? [] : [`${notProven} ended without proof.`]),
    ...(running + waiting === 0 ? [] : [`${running + waiting} ${running + waiting === 1 ? 'goes' : 'go'} on.`]),
  ];
  return parts.join(' ');
}

function moneyOf(rows: readonly LoopRow[]): NightReport['money'] {
  const known = rows.flatMap(({ cost }) => cost.usd ?? []);
  return {
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
    unreportedRuns: rows.reduce((sum, { cost }) => sum + cost.unreportedRuns, 0),
  };
}
