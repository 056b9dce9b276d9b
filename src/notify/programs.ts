import { describeEnding, type Message } from '../core/index.ts';
import { type Command, findExecutable, runCapture } from '../process/index.ts';
import type { ChannelConfig, ChildVariable } from '../protocol/index.ts';
import type { Delivery, SenderPlace } from './delivery.ts';
import { payloadOf } from './requests.ts';

const maxOutputBytes = 64 * 1024;
const graceMs = 1_000;

interface Sending {
  readonly place: SenderPlace;
  readonly signal: AbortSignal;
}

/** Runs the user's command with the message on stdin and in variables. */
export async function runCommand({ run }: ChannelConfig, message: Message, sending: Sending): Promise<Delivery> {
  if (run === undefined) return { ok: false, why: 'it has no command' };
  const variables: Partial<Record<ChildVariable, string>> = {
    RALPHD_LOOP_ID: message.loopId,
    RALPHD_NOTIFY_TRIGGER: message.trigger,
    RALPHD_NOTIFY_PRIORITY: message.priority,
    RALPHD_NOTIFY_TITLE: message.title,
    RALPHD_NOTIFY_TEXT: message.text,
  };
  return await runProgram({ command: run, input: `${JSON.stringify(payloadOf(message))}\n`, variables }, sending);
}

const urgency = { low: 'low', normal: 'normal', high: 'normal', critical: 'critical' } as const;

/** Shows the message with the desktop's own tool; where there is none, rings the terminal's bell. */
export async function showOnDesktop(message: Message, sending: Sending): Promise<Delivery> {
  const { env, cwd, bell } = sending.place;
  const find = (name: string) => findExecutable(name, { PATH: env['PATH'], cwd });
  const { title, text } = message;
  const notifySend = find('notify-send');
  if (notifySend !== undefined) {
    const level = message.isSilent ? 'low' : urgency[message.priority];
    return await runProgram({ command: [notifySend, '-a', 'ralphd', '-u', level, '--', title, text] }, sending);
  }
  const osascript = find('osascript');
  if (osascript !== undefined) {
    // The texts are arguments, so that nothing in them is run as a script.
    const script = 'on run {theTitle, theText}\ndisplay notification theText with title theTitle\nend run';
    return await runProgram({ command: [osascript, '-e', script, title, text] }, sending);
  }
  if (bell === undefined) return { ok: false, why: 'neither notify-send nor osascript is on the PATH' };
  if (!message.isSilent) bell();
  return { ok: true };
}

interface Program {
  readonly command: Command;
  readonly input?: string;
  readonly variables?: Partial<Record<ChildVariable, string>>;
}

async function runProgram({ command, input, variables }: Program, { place, signal }: Sending): Promise<Delivery> {
  const { ending } = await runCapture({
    command,
    cwd: place.cwd,
    env: { ...place.env, ...variables },
    ...(input === undefined ? {} : { input }),
    graceMs,
    maxOutputBytes,
    signal,
  });
  if (ending.kind === 'exited' && ending.code === 0) return { ok: true };
  if (ending.kind === 'stopped' && ending.by === 'request') return { ok: false, why: 'it did not finish in time' };
  return { ok: false, why: `it ${describeEnding(ending)}` };
}
