import path from 'node:path';
import { failures, LoopError, type Redactor, type Secret } from '../base/index.ts';
import { inTemplates, testMessage, writeRecords } from '../core/index.ts';
import {
  channelProblem,
  channelSecrets,
  createNotifier,
  type Delivery,
  type Notifier,
  type NotifierPorts,
  type NotifierStart,
  type SenderPlace,
  send,
} from '../notify/index.ts';
import { channelName, type LoopConfig } from '../protocol/index.ts';
import type { FileLoop } from './adapters/file-loop.ts';
import { readFacts } from './adapters/whole-journal.ts';
import type { AppContext } from './agent-programs.ts';
import { localTimeZone, thisMachine, timestamp } from './machine.ts';
import { historyFile, readNotifyRecords, stateFile } from './notification-records.ts';

/** How long a run that is over waits for deliveries under way. */
const graceMs = 5_000;

/** Where a loop works. */
interface WorkPlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What the notifications of a loop need to know about it. */
export interface NotificationSetting extends WorkPlace {
  readonly config: LoopConfig;
  readonly root: string;
  readonly redactor: Redactor;
  readonly bell: (() => void) | undefined;
}

const silent: Notifier = { observe: () => {}, flush: () => {}, settle: async () => {} };

/** The notifier of a loop that this process owns; it continues where an earlier process stopped. */
export function notifierFor(owned: FileLoop, setting: NotificationSetting): Notifier {
  const { config, root, workingDirectory, env, redactor, bell } = setting;
  const { notify: channels } = config;
  if (channels.length === 0) return silent;
  const { loopId, problems, recovered } = owned;
  const notifier = createLoopNotifier(
    {
      records: readNotifyRecords(owned.place),
      facts: recovered.loop === undefined ? [] : readFacts({ root }, loopId),
      loop: recovered.loop,
    },
    {
      channels,
      place: { env, cwd: workingDirectory, bell },
      redactor,
      save: (records) => {
        const texts = writeRecords(records);
        problems.attempt('The history of notifications was not written', () => {
          owned.keepFile(historyFile, texts.history);
          owned.keepFile(stateFile, texts.state);
        });
      },
      report: problems.report,
    },
  );
  return {
    observe: (facts, loop) => problems.attempt('Notifications failed', () => notifier.observe(facts, loop)),
    flush: () => problems.attempt('Notifications failed', () => notifier.flush()),
    settle: async () => await notifier.settle(),
  };
}

/** What sends the notifications of a loop, and keeps what was sent. */
interface LoopNotifierSetting extends Pick<NotifierPorts, 'save' | 'report'> {
  readonly channels: LoopConfig['notify'];
  readonly place: SenderPlace;
  readonly redactor: Redactor;
}

/** A notifier that really sends. */
export function createLoopNotifier(
  start: Omit<NotifierStart, 'channels'>,
  { channels, place, redactor, save, report }: LoopNotifierSetting,
): Notifier {
  return createNotifier(
    { ...start, channels },
    {
      clock: thisMachine.clock,
      timeZone: localTimeZone(),
      deliver: async (channel, message, signal) => await send(channel, message, { place, signal }),
      save,
      redact: redactor.redact,
      report,
      graceMs,
    },
  );
}

/** The secrets that the channels and hooks of a loop refer to, as far as they can be read. */
export function secretsOfSettings(
  { notify, hooks }: LoopConfig,
  { workingDirectory, env }: WorkPlace,
): readonly Secret[] {
  return channelSecrets([...notify, ...hooks], { env, cwd: workingDirectory });
}

/** Refuses channels that cannot work, before anything is created. */
export function assertChannelsWork({ notify }: LoopConfig, { workingDirectory, env }: WorkPlace): void {
  for (const channel of notify) {
    const why = channelProblem(channel, { env, cwd: workingDirectory });
    if (why !== undefined) throw new LoopError(failures.channelUnusable(channelName(channel), why));
  }
}

/** Refuses hooks whose address cannot be used, before anything is created. */
export function assertHooksWork({ hooks }: LoopConfig, { workingDirectory, env }: WorkPlace): void {
  for (const hook of hooks) {
    const why = channelProblem(hook, { env, cwd: workingDirectory });
    if (why !== undefined) throw new LoopError(failures.hookUnusable(hook.name, why));
  }
}

/** What a test of one channel showed. */
export interface ChannelTest {
  readonly channel: string;
  readonly type: string;
  readonly result: Delivery;
}

/** Sends a test message through one channel or all of them. */
export async function testChannels(
  { notify, workingDir }: LoopConfig,
  { cwd, env, bell }: AppContext,
  name: string | undefined,
): Promise<readonly ChannelTest[]> {
  if (notify.length === 0) throw new LoopError(failures.noChannels());
  const chosen = notify.filter((channel) => name === undefined || channelName(channel) === name);
  if (chosen.length === 0) throw new LoopError(failures.channelUnknown(name ?? '', notify.map(channelName)));
  const workingDirectory = path.resolve(cwd, workingDir);
  const place = { env: { ...env }, cwd: workingDirectory, bell };
  const message = testMessage(timestamp(), workingDirectory);
  const { signal } = new AbortController();
  return await Promise.all(
    chosen.map(async (channel) => ({
      channel: channelName(channel),
      type: channel.type,
      result: await send(channel, inTemplates(channel, message), { place, signal }),
    })),
  );
}
