import { boundText, headText } from '../../base/index.ts';
import {
  type ChannelConfig,
  fillTemplate,
  type NotifyPriority,
  type NotifyTrigger,
  notifyPriorities,
} from '../../protocol/index.ts';
import type { Loop } from '../state/loop.ts';
import type { Waiting } from './outbox.ts';

/** One notification as it is sent. */
export interface Message {
  /** The same for every attempt to deliver it. */
  readonly id: string;
  readonly loopId: string;
  readonly status: Loop['status'];
  readonly iteration: number;
  readonly task: string;
  readonly workingDirectory: string;
  /** The most urgent trigger, and all of them. */
  readonly trigger: NotifyTrigger | 'test';
  readonly triggers: readonly string[];
  readonly priority: NotifyPriority;
  readonly title: string;
  readonly text: string;
  readonly at: string;
  /** Sent in quiet hours because it could not wait: it should make no sound. */
  readonly isSilent: boolean;
}

const maxTitleLength = 120;
const maxTextLength = 1_500;
const maxTaskLength = 200;
const maxParts = 10;

const headlines: Readonly<Record<NotifyTrigger, string>> = {
  started: 'started',
  completed: 'completed',
  failed: 'failed',
  limit: 'reached a limit',
  paused: 'paused',
  resumed: 'resumed',
  iteration: 'iteration finished',
  tests_passing: 'checks pass',
  tests_failing: 'checks fail',
  no_progress: 'no progress',
  reboot: 'new session',
  error: 'error',
  recovered: 'recovered after a crash',
  mode_switch: 'another mode',
  milestone: 'milestone',
  attention: 'needs attention',
};

/** One message from everything that was taken together; the most urgent and newest part names it. */
export function composeMessage(
  parts: readonly Waiting[],
  loop: Pick<Loop, 'id' | 'status' | 'position' | 'origin'>,
  { at, isSilent }: { readonly at: string; readonly isSilent: boolean },
): Message {
  const ordered = parts.toSorted((one, other) => other.notice.seq - one.notice.seq);
  const rank = ({ notice }: Waiting) => notifyPriorities.indexOf(notice.priority);
  const [first = ordered[0], ...rest] = ordered.toSorted((one, other) => rank(other) - rank(one));
  if (first === undefined) throw new TypeError('a message needs a part');
  const lines = [first, ...rest].slice(0, maxParts).map(lineOf);
  const left = parts.length - lines.length;
  return {
    id: `${loop.id}-${ordered[0]?.notice.seq ?? 0}`,
    ...aboutLoop(loop),
    trigger: first.trigger,
    triggers: [first, ...rest].map(({ trigger }) => trigger),
    priority: first.notice.priority,
    title: headText(`${loop.id}: ${headlines[first.trigger]}`, maxTitleLength),
    text: boundText([...lines, ...(left > 0 ? [`And ${left} more.`] : [])].join('\n'), maxTextLength),
    at,
    isSilent,
  };
}

/** The message with the title and the text that a channel asks for. */
export function inTemplates({ title, text }: Pick<ChannelConfig, 'title' | 'text'>, message: Message): Message {
  const { iteration, triggers, loopId, status, task, workingDirectory, trigger, priority, at } = message;
  const own = { title: message.title, text: message.text, iteration: String(iteration), triggers: triggers.join(', ') };
  const values = { ...own, loopId, status, task, workingDirectory, trigger, priority, at };
  return {
    ...message,
    ...(title === undefined ? {} : { title: headText(oneLine(fillTemplate(title, values)), maxTitleLength) }),
    ...(text === undefined ? {} : { text: boundText(fillTemplate(text, values), maxTextLength) }),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A message that shows whether a channel works. */
export function testMessage(at: string, workingDirectory: string): Message {
  return {
    id: `test-${at}`,
    loopId: 'test',
    status: 'idle',
    iteration: 0,
    task: '',
    workingDirectory,
    trigger: 'test',
    triggers: ['test'],
    priority: 'normal',
    title: 'ralphd: test',
    text: 'This channel works.',
    at,
    isSilent: false,
  };
}

function aboutLoop({ id, status, position, origin }: Pick<Loop, 'id' | 'status' | 'position' | 'origin'>) {
  const [task = ''] = origin.task.trim().split('\n');
  return {
    loopId: id,
    status,
    iteration: position.iteration,
    task: headText(task, maxTaskLength),
    workingDirectory: origin.workingDirectory,
  };
}

function lineOf({ notice, count }: Waiting): string {
  const earlier = count === 1 ? '' : ` (and ${count - 1} earlier)`;
  return `${notice.text}${earlier}`;
}
