import type { LoopStatus } from '../../app/index.ts';
import { wholeSeconds } from '../../base/index.ts';
import { senderText } from './sender.ts';

/** The rows for commands that nobody has answered. */
export function pendingRows({ pending = [] }: LoopStatus, nowMs: number): readonly (readonly [string, string])[] {
  return pending.map(({ command, now, sender, sentAt }) => {
    const by = sender === undefined ? '' : ` by ${senderText(sender)}`;
    const sent = `sent ${wholeSeconds(ageMs(sentAt, nowMs))} ago${by}`;
    return ['pending', `${command}${now === true ? ' now' : ''}, ${sent}, not answered yet`];
  });
}

/** The same for programs. */
export function pendingObjects({ pending = [] }: LoopStatus, nowMs: number): readonly Record<string, unknown>[] {
  return pending.map((each) => ({ ...each, ageMs: ageMs(each.sentAt, nowMs) }));
}

function ageMs(sentAt: string, nowMs: number): number {
  return Math.max(0, nowMs - Date.parse(sentAt));
}
