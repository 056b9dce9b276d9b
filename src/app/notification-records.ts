import path from 'node:path';
import { type HistoryEntry, type NotifyRecords, readHistory, readRecords } from '../core/index.ts';
import { nodeFiles, readEnd } from '../files/index.ts';
import type { LoopPlace } from './stores.ts';

/** The files in a loop's folder that hold how far its channels are, and what was sent. */
export const stateFile = 'notifications.json';
export const historyFile = 'notifications.jsonl';
const maxFileBytes = 4 * 1024 * 1024;

/** What an earlier process kept about the notifications of a loop. */
export function readNotifyRecords(folder: string): NotifyRecords | undefined {
  return readRecords(readText(path.join(folder, stateFile)), readText(path.join(folder, historyFile)));
}

/** The newest notifications of a loop, oldest first. */
export function readNotifications({ root }: Pick<LoopPlace, 'root'>, loopId: string): readonly HistoryEntry[] {
  return readHistory(readText(path.join(root, 'loops', loopId, historyFile)) ?? '');
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
