import path from 'node:path';
import {
  addAcknowledgement,
  type NotifyRecords,
  readAcknowledgements,
  readHistory,
  readRecords,
  type SeenEntry,
  withAcknowledgements,
  writeRecords,
} from '../core/index.ts';
import { type FilePort, look, readEnd, writeFileDurably } from '../files/index.ts';
import { timestamp } from './machine.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { userName } from './user-name.ts';

/** The files in a loop's folder that hold how far its channels are, and what was sent. */
export const stateFile = 'notifications.json';
export const historyFile = 'notifications.jsonl';
const seenFile = 'notifications-seen.jsonl';
const maxFileBytes = 4 * 1024 * 1024;

/** Where a loop's files are. */
export interface NotifyPlace {
  readonly files: FilePort;
  readonly folder: string;
}

/** What an earlier process kept about the notifications of a loop. */
export function readNotifyRecords(place: NotifyPlace): NotifyRecords | undefined {
  return readRecords(readText(place, stateFile), readText(place, historyFile));
}

/** Whether anything was ever to be sent about a loop. */
export function hasNotifyRecords({ files, folder }: NotifyPlace): boolean {
  return look(files, path.join(folder, stateFile)) !== undefined;
}

/** Keeps the records of a loop that no process runs; hold its lock. */
export function writeNotifyRecords({ files, folder }: NotifyPlace, records: NotifyRecords): void {
  const { state, history } = writeRecords(records);
  writeFileDurably(files, path.join(folder, historyFile), Buffer.from(history));
  writeFileDurably(files, path.join(folder, stateFile), Buffer.from(state));
}

/** The newest notifications of a loop, oldest first. */
export function readNotifications(place: Pick<LoopPlace, 'root'>, loopId: string): readonly SeenEntry[] {
  const found = openStore(place).place(loopId);
  return withAcknowledgements(readHistory(readText(found, historyFile) ?? ''), readSeen(found));
}

/**
 * Records that a person has seen the notifications of a loop, and returns those that nobody had acknowledged. They are in a
 * file of their own: the history belongs to the process of the loop.
 */
export function acknowledgeNotifications(place: Pick<LoopPlace, 'root'>, loopId: string): readonly SeenEntry[] {
  const fresh = readNotifications(place, loopId).filter(({ acknowledged }) => acknowledged === undefined);
  const upTo = fresh
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
  if (upTo === undefined) return [];
  const found = openStore(place).place(loopId);
  const all = addAcknowledgement(readSeen(found), { upTo, at: timestamp(), by: userName() ?? 'unknown' });
  const text = all.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileDurably(found.files, path.join(found.folder, seenFile), Buffer.from(text));
  return fresh;
}

function readSeen(place: NotifyPlace) {
  return readAcknowledgements(readText(place, seenFile) ?? '');
}

/** The channels of a loop whose newest delivery failed, one sentence each. */
export function notificationProblems(place: NotifyPlace): readonly string[] {
  const { channels = {} } = readRecords(readText(place, stateFile), undefined) ?? {};
  return Object.entries(channels).flatMap(([name, { problem }]) =>
    problem === undefined
      ? []
      : [`The newest notification to "${name}" was not delivered (${problem.at}): ${problem.why}.`],
  );
}

function readText({ files, folder }: NotifyPlace, name: string): string | undefined {
  try {
    return readEnd(files, path.join(folder, name), maxFileBytes).toString();
  } catch {
    return undefined;
  }
}
