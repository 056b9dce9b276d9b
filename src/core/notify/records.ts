import type { Usage } from './outbox.ts';

/** One delivery, as the history keeps it. */
export interface HistoryEntry {
  readonly at: string;
  readonly channel: string;
  readonly triggers: readonly string[];
  readonly priority: string;
  readonly title: string;
  readonly text: string;
  readonly result: 'sent' | 'failed' | 'dropped';
  /** Why it was not delivered. */
  readonly why?: string;
}

/** A person has seen all notifications up to one. */
export interface Acknowledgement {
  /** The instant of the newest of them. */
  readonly upTo: string;
  readonly at: string;
  /** Who said so. */
  readonly by: string;
}

/** A delivery, and who has acknowledged it first. */
export type SeenEntry = HistoryEntry & { readonly acknowledged?: Omit<Acknowledgement, 'upTo'> };

/** How far a channel has come: every notice up to a fact is settled, and some after it. */
export interface Cursor {
  readonly seq: number;
  readonly beyond: readonly number[];
}

/** What is known about a channel beyond its process. */
export interface ChannelRecord {
  readonly cursor: Cursor;
  /** When it was used, so that its limits hold for the next process too. */
  readonly used?: Usage;
  /** Why its newest delivery failed; missing if it did not. */
  readonly problem?: { readonly at: string; readonly why: string };
}

/** Everything that is kept about the notifications of a loop. */
export interface NotifyRecords {
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  readonly history: readonly HistoryEntry[];
}

const maxHistory = 100;

/** Adds a delivery to a history that keeps the newest. */
export function addToHistory(history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  return [...history, entry].slice(-maxHistory);
}

/** Adds an acknowledgement to those that the history still needs. */
export function addAcknowledgement(
  known: readonly Acknowledgement[],
  added: Acknowledgement,
): readonly Acknowledgement[] {
  return [...known, added].slice(-maxHistory);
}

/** The history with its acknowledgements. */
export function withAcknowledgements(
  history: readonly HistoryEntry[],
  known: readonly Acknowledgement[],
): readonly SeenEntry[] {
  return history.map((entry) => {
    const found = known.find(({ upTo }) => entry.at <= upTo);
    return found === undefined ? entry : { ...entry, acknowledged: { at: found.at, by: found.by } };
  });
}

/** Acknowledgements as they are stored, one per line; lines that cannot be read are skipped. */
export function readAcknowledgements(text: string): readonly Acknowledgement[] {
  return text
    .split('\n')
    .map(parse)
    .filter(
      (value): value is Acknowledgement =>
        isRecord(value) && ['upTo', 'at', 'by'].every((key) => typeof value[key] === 'string'),
    );
}

/** The records as the texts of their two files. */
export function writeRecords({ channels, history }: NotifyRecords): {
  readonly state: string;
  readonly history: string;
} {
  return {
    state: `${JSON.stringify({ version: 1, channels }, undefined, 2)}\n`,
    history: history.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  };
}

/** The records of a loop; undefined if it has none that can be read. */
export function readRecords(state: string | undefined, history: string | undefined): NotifyRecords | undefined {
  const document = parse(state ?? '');
  if (!isRecord(document) || !isRecord(document['channels'])) return undefined;
  const channels = Object.entries(document['channels']).filter((pair): pair is [string, ChannelRecord] =>
    isChannel(pair[1]),
  );
  return { channels: Object.fromEntries(channels.map(withUsage)), history: readHistory(history ?? '') };
}

/** The entries of a history; lines that cannot be read are skipped. */
export function readHistory(text: string): readonly HistoryEntry[] {
  return text
    .split('\n')
    .map(parse)
    .filter((entry): entry is HistoryEntry => isEntry(entry));
}

/** Times that cannot be read limit nothing. */
function withUsage([name, { used, ...record }]: [string, ChannelRecord]): [string, ChannelRecord] {
  return [name, isUsage(used) ? { ...record, used } : record];
}

function isUsage(value: unknown): value is Usage {
  if (!isRecord(value) || !Array.isArray(value['takenMs']) || !isRecord(value['lastMs'])) return false;
  const isInstant = (atMs: unknown) => typeof atMs === 'number';
  return value['takenMs'].every(isInstant) && Object.values(value['lastMs']).every(isInstant);
}

function isChannel(value: unknown): value is ChannelRecord {
  if (!isRecord(value) || !isRecord(value['cursor'])) return false;
  const { seq, beyond } = value['cursor'];
  return typeof seq === 'number' && Array.isArray(beyond);
}

function isEntry(value: unknown): value is HistoryEntry {
  if (!isRecord(value) || !Array.isArray(value['triggers'])) return false;
  return ['at', 'channel', 'priority', 'title', 'text', 'result'].every((key) => typeof value[key] === 'string');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
