import { type ChannelConfig, channelName, type RecordedFact } from '../../protocol/index.ts';
import { type NoticeMemory, noMemory, noticeOf } from './notices.ts';
import type { NotifyRecords } from './records.ts';
import { wantedAs } from './wanted.ts';

/** What one channel should have sent and has not settled. */
export interface UnsentNotices {
  readonly channel: string;
  readonly triggers: readonly string[];
}

/** What the channels of a loop still have to send, because the process that should have sent it died. */
export function unsentNotices(
  channels: readonly ChannelConfig[],
  records: NotifyRecords,
  facts: readonly RecordedFact[],
): readonly UnsentNotices[] {
  let memory: NoticeMemory = noMemory;
  const notices = facts.flatMap((fact) => {
    const next = noticeOf(memory, fact);
    ({ memory } = next);
    return next.notices;
  });
  return channels.flatMap((channel) => {
    const name = channelName(channel);
    const cursor = records.channels[name]?.cursor;
    if (cursor === undefined) return [];
    const open = notices.filter(({ seq }) => seq > cursor.seq && !cursor.beyond.includes(seq));
    const triggers = open.map((notice) => wantedAs(channel, notice)).filter((trigger) => trigger !== undefined);
    return triggers.length === 0 ? [] : [{ channel: name, triggers: [...new Set(triggers)] }];
  });
}
