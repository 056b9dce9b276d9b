import { useEffect, useRef, useState } from 'preact/hooks';
import type { LoopPage, SentTranscript } from '../../src/protocol/index.ts';
import type { Live } from '../../src/views/index.ts';
import { ask, RequestError } from '../api/request.ts';

type Entry = SentTranscript['entries'][number];

/** One thing to show in a transcript. */
export interface TranscriptLine {
  readonly key: number;
  readonly kind: 'said' | 'tool' | 'result' | 'trouble';
  readonly text: string;
  readonly name?: string;
  readonly at?: string;
}

/** What a run of the agent has written and done, as far as it was read. */
export interface Transcript {
  readonly lines: readonly TranscriptLine[];
  /** There is more before the first line. */
  readonly hasEarlier: boolean;
}

/** The newest thing that the agent did. */
export function lastActivityOf({ pulse, activities }: Live): Live['activities'][number] | undefined {
  return pulse?.step === 'agent' ? activities.at(-1) : undefined;
}

const pollMs = 1_500;
const kept = 500;

interface Source {
  readonly page: Pick<LoopPage, 'key' | 'cursor'>;
  readonly iteration: number;
  readonly attempt: number;
  readonly live: Live;
}

/** The transcript of the run under way: all of it from the stored output, and its newest lines as they are reported. */
export function useTranscript({ page: { key, cursor }, iteration, attempt, live }: Source): Transcript {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  // After a restore, the page is read again and the same run may be another one.
  const run = `${cursor} ${iteration}/${attempt}`;
  const readFor = useRef({ run: '', activity: -1, isBusy: false });
  const newest = live.activities.at(-1);
  const activity = newest === undefined ? 0 : newest.number + newest.text.length / 1_000;
  useEffect(() => {
    const state = readFor.current;
    if (state.run !== run) {
      Object.assign(state, { run, activity: -1 });
      setEntries([]);
    }
    const read = async () => {
      if (state.isBusy || state.activity === activity || iteration === 0) return;
      state.isBusy = true;
      state.activity = activity;
      const known = state.run === run ? entries : [];
      const read = await readEntries({ key, iteration, attempt }, known.at(-1)?.number).catch(nothing);
      state.isBusy = false;
      if (readFor.current.run === run && read.length > 0) setEntries((before) => joined(before, read));
    };
    void read();
    const timer = setInterval(() => void read(), pollMs);
    return () => clearInterval(timer);
  }, [key, run, activity, entries]);
  const lines = withTimes(linesOf(entries), live.activities);
  return {
    lines: lines.length === 0 ? linesOfActivities(live.activities) : lines,
    hasEarlier: (entries[0]?.number ?? 0) > 1,
  };
}

function nothing(error: unknown): readonly Entry[] {
  // The output may not exist yet; the reported activities stand in for it.
  if (error instanceof RequestError) return [];
  throw error;
}

async function readEntries(
  { key, iteration, attempt }: { readonly key: string } & Pick<Source, 'iteration' | 'attempt'>,
  from: number | undefined,
): Promise<readonly Entry[]> {
  const query = new URLSearchParams({
    attempt: String(attempt),
    limit: '500',
    ...(from === undefined ? {} : { from: String(from) }),
  });
  const { entries } = await ask<SentTranscript>(`/api/loops/${key}/iterations/${iteration}/transcript?${query}`);
  return entries;
}

/** The last known entry may have grown, so a new one with its number replaces it. */
function joined(before: readonly Entry[], read: readonly Entry[]): readonly Entry[] {
  const first = read[0]?.number ?? 0;
  return [...before.filter(({ number }) => number < first), ...read].slice(-kept);
}

/** Entries as lines; the rest of a long message continues its line. */
export function linesOf(entries: readonly Entry[]): readonly TranscriptLine[] {
  const lines: TranscriptLine[] = [];
  for (const entry of entries) {
    const last = lines.at(-1);
    if (entry.type === 'text' && !entry.startsMessage && last?.kind === 'said') {
      lines[lines.length - 1] = { ...last, text: last.text + entry.text };
    } else {
      const line = lineOf(entry);
      if (line !== undefined) lines.push(line);
    }
  }
  return lines;
}

function lineOf(entry: Entry): TranscriptLine | undefined {
  const key = entry.number;
  switch (entry.type) {
    case 'text':
      return entry.text.trim() === '' ? undefined : { key, kind: 'said', text: entry.text };
    case 'tool_use':
      return { key, kind: 'tool', name: entry.name, text: entry.detail ?? '' };
    case 'tool_result':
      return entry.ok
        ? undefined
        : {
            key,
            kind: 'trouble',
            text: `${entry.name} failed${entry.detail === undefined ? '' : `: ${entry.detail}`}`,
          };
    case 'permission_denied':
      return { key, kind: 'trouble', text: `${entry.tool} was denied` };
    case 'retry':
      return { key, kind: 'trouble', text: `It tries again: ${entry.why}` };
    case 'error':
      return { key, kind: 'trouble', text: entry.message };
  }
}

function linesOfActivities(activities: Live['activities']): readonly TranscriptLine[] {
  return activities.map(({ number, kind, text, at }) => ({
    key: number,
    at,
    text,
    kind: kind === 'text' ? 'said' : kind === 'tool' ? 'tool' : 'trouble',
  }));
}

/** Stored output has no times, but what was reported live has: the two are matched from the end. */
function withTimes(lines: readonly TranscriptLine[], activities: Live['activities']): readonly TranscriptLine[] {
  const timed = [...lines];
  let place = timed.length - 1;
  for (const { kind, text, at } of activities.toReversed()) {
    const wanted = kind === 'text' ? 'said' : kind === 'tool' ? 'tool' : 'trouble';
    const found = timed.findLastIndex((line, index) => index <= place && line.kind === wanted && isSame(line, text));
    if (found === -1) continue;
    const line = timed[found];
    if (line !== undefined) timed[found] = { ...line, at };
    place = found - 1;
  }
  return timed;
}

const compared = 40;

function isSame({ kind, name, text }: TranscriptLine, reported: string): boolean {
  const whole = kind === 'tool' ? `${name} ${text}`.trim() : text.trim();
  return (
    whole.slice(0, compared) === reported.trim().slice(0, compared) || whole.endsWith(reported.trim().slice(-compared))
  );
}
