import { LoopError } from '../base/index.ts';
import { type HistoryEntry, type Loop, type UnsentNotices, unsentNotices } from '../core/index.ts';
import { nodeCareFiles } from '../files/index.ts';
import { holdUnowned, sqliteLock } from '../store/index.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { readFacts } from './adapters/whole-journal.ts';
import type { AppContext } from './agent-programs.ts';
import { timestamp } from './machine.ts';
import { type NotifyPlace, readNotifyRecords, writeNotifyRecords } from './notification-records.ts';
import { assertChannelsWork, createLoopNotifier, secretsOfSettings } from './notifications.ts';
import { findLoop, readLoop } from './read-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { assertLoopTrusted } from './trust/loop-lines.ts';

/** The channels to which a dead process did not send what it should have, one sentence each. */
export function unsentProblems(place: Pick<LoopPlace, 'root'>, loopId: string): readonly string[] {
  const store = openStore(place);
  try {
    const where = store.place(loopId);
    if (readNotifyRecords(where) === undefined) return [];
    const { loop, owner } = readLoop(store, loopId);
    if (owner?.liveness === 'alive') return [];
    return unsentOf(place, loop, where).map(
      ({ channel, triggers }) =>
        `A notification to "${channel}" (${triggers.join(', ')}) was not sent, because the process of the loop died.`,
    );
  } catch (error) {
    if (error instanceof LoopError) return [];
    throw error;
  }
}

/** What the process of a loop did not send before it died. */
function unsentOf(
  { root }: Pick<LoopPlace, 'root'>,
  { id, config }: Loop,
  where: NotifyPlace,
): readonly UnsentNotices[] {
  const records = config.notify.length === 0 ? undefined : readNotifyRecords(where);
  return records === undefined ? [] : unsentNotices(config.notify, records, readFacts({ root }, id));
}

/** What was sent late or could not be sent, and for which loop. */
export interface LateNotifications {
  readonly loopId: string;
  readonly sent: readonly HistoryEntry[];
}

/** Sends what the process of a loop did not send before it died. A loop that a process runs is refused. */
export async function sendUnsent(
  place: LoopPlace,
  query: string | undefined,
  { env, bell, consent }: Pick<AppContext, 'env' | 'bell' | 'consent'>,
): Promise<LateNotifications> {
  const { loop } = findLoop(place, query);
  await assertLoopTrusted(loop, place, { env, consent });
  const { id: loopId, config } = loop;
  const where = openStore(place).place(loopId);
  using _held = holdUnowned({ ...where, files: nodeCareFiles }, sqliteLock);
  if (unsentOf(place, loop, where).length === 0) return { loopId, sent: [] };
  const { workingDirectory } = loop.origin;
  assertChannelsWork(config, { workingDirectory, env });
  const startedAt = timestamp();
  const notifier = createLoopNotifier(
    { records: readNotifyRecords(where), facts: readFacts(place, loopId), loop },
    {
      channels: config.notify,
      place: { env, cwd: workingDirectory, bell },
      redactor: redactorFor(env, config, secretsOfSettings(config, { workingDirectory, env })),
      save: (records) => writeNotifyRecords(where, records),
      // The history says what was not delivered.
      report: () => {},
    },
  );
  notifier.flush();
  await notifier.settle();
  return { loopId, sent: (readNotifyRecords(where)?.history ?? []).filter(({ at }) => at >= startedAt) };
}
