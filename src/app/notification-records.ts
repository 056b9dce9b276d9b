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
import { look, nodeFiles, readEnd, writeFileDurably } from '../files/index.ts';
import { timestamp } from './machine.ts';
import type { LoopPlace } from './stores.ts';
import { userName } from './user-name.ts';

/** The files in a loop's folder that hold how far its channels are, and what was sent. */
export const stateFile = 'notifications.json';
export const historyFile = 'notifications.jsonl';
const seenFile = 'notifications-seen.jsonl';
const maxFileBytes = 4 * 1024 * 1024;

/** What an earlier process kept about the notifications of a loop. */
export function readNotifyRecords(folder: string): NotifyRecords | undefined {
  return readRecords(readText(path.join(folder, stateFile)), readText(path.join(folder, historyFile)));
}

/** Whether anything was ever to be sent about a loop. */
export function hasNotifyRecords(folder: string): boolean {
  return look(nodeFiles, path.join(folder, stateFile)) !== undefined;
}

/** Keeps the records of a loop that no process runs; hold its lock. */
export function writeNotifyRecords(folder: string, records: NotifyRecords): void {
  const { state, history } = writeRecords(records);
  writeFileDurably(nodeFiles, path.join(folder, historyFile), Buffer.from(history));
  writeFileDurably(nodeFiles, path.join(folder, stateFile), Buffer.from(state));
}

/** The newest notifications of a loop, oldest first. */
export function readNotifications({ root }: Pick<LoopPlace, 'root'>, loopId: string): readonly SeenEntry[] {
  const folder = path.join(root, 'loops', loopId);
  return withAcknowledgements(readHistory(readText(path.join(folder, historyFile)) ?? ''), readSeen(folder));
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
  const folder = path.join(place.root, 'loops', loopId);
  const all = addAcknowledgement(readSeen(folder), { upTo, at: timestamp(), by: userName() ?? 'unknown' });
  const text = all.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileDurably(nodeFiles, path.join(folder, seenFile), Buffer.from(text));
  return fresh;
}

function readSeen(folder: string) {
  return readAcknowledgements(readText(path.join(folder, seenFile)) ?? '');
}

/** The channels of a loop whose newest delivery failed, one sentence each. */
export function notificationProblems(folder: string): readonly string[] {
  const { channels = {} } = readRecords(readText(path.join(folder, stateFile)), undefined) ?? {};
  return Object.entries(channels).flatMap(([name, { problem }]) =>
    problem === undefined
      ? []
      : [`The newest notification to "${name}" was not delivered (${problem.at}): ${problem.why}.`],
  );
}

function readText(file: string): string | undefined {
  try {
    return readEnd(nodeFiles, file, maxFileBytes).toString();
  } catch {
    return undefined;
  }
}
