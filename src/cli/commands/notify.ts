import {
  acknowledgeNotifications,
  type ChannelTest,
  readNotifications,
  readStatus,
  sendUnsent,
  testChannels,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import type { SeenEntry } from '../../core/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { contextWithConsent } from '../trust/consent.ts';
import { trustedSettings } from '../trust/settings.ts';

/** `ralphd notify`: tests the channels, or shows what was sent about a loop. */
export async function notifyCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [action = ''] = invocation.args;
  const { words = [] } = invocation.command;
  if (!words.includes(action)) throw new LoopError(failures.unknownSubcommand('notify', action, words));
  if (action === 'test') return await test(invocation, surroundings);
  if (action === 'send') return await sendLate(invocation, surroundings);
  return action === 'ack' ? await acknowledge(invocation, surroundings) : await history(invocation, surroundings);
}

async function test(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings;
  const { config } = await trustedSettings(invocation, surroundings);
  const tests = await testChannels(config, appContext(surroundings), invocation.args[1]);
  if (invocation.options['json'] === true) {
    stdout.write(jsonLine({ channels: tests.map(({ result, ...rest }) => ({ ...rest, ...result })) }));
  } else {
    const paint = paintFor(stdout);
    printLines(
      stdout,
      tests.map((each) => testLine(each, paint)),
    );
  }
  return tests.every(({ result }) => result.ok) ? exitCodes.completed : exitCodes.failed;
}

function testLine({ channel, result }: ChannelTest, paint: Paint): string {
  if (result.ok) return `${paint.good('✓')} ${channel}: a test message was sent.`;
  return `${paint.bad('✗')} ${channel}: ${oneLine(result.why, 300)}.`;
}

async function history(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const place = await placeFor(invocation, surroundings);
  const { view } = await readStatus(place, invocation.args[1]);
  const entries = readNotifications(place, view.id);
  if (invocation.options['json'] === true) stdout.write(jsonLine({ loopId: view.id, notifications: entries }));
  else if (entries.length === 0) stderr.write(`No notifications were sent about ${view.id}.\n`);
  else printLines(stdout, historyLines(entries, { paint: paintFor(stdout), nowMs: Date.now() }));
  return exitCodes.completed;
}

/** `ralphd notify ack`: records that somebody has seen what was sent about a loop. */
async function acknowledge(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings;
  const place = await placeFor(invocation, surroundings);
  const { view } = await readStatus(place, invocation.args[1]);
  const seen = acknowledgeNotifications(place, view.id);
  const count = seen.length === 1 ? '1 notification' : `${seen.length} notifications`;
  if (invocation.options['json'] === true) stdout.write(jsonLine({ loopId: view.id, acknowledged: seen.length }));
  else printLines(stdout, [`${count} about ${view.id} acknowledged.`]);
  return exitCodes.completed;
}

/** `ralphd notify send`: sends what the process of a loop did not send before it died. */
async function sendLate(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const place = await placeFor(invocation, surroundings);
  const { loopId, sent } = await sendUnsent(place, invocation.args[1], contextWithConsent(invocation, surroundings));
  if (invocation.options['json'] === true) stdout.write(jsonLine({ loopId, notifications: sent }));
  else if (sent.length === 0) stderr.write(`Nothing is left to send about ${loopId}.\n`);
  else printLines(stdout, historyLines(sent, { paint: paintFor(stdout), nowMs: Date.now() }));
  return sent.every(({ result }) => result === 'sent') ? exitCodes.completed : exitCodes.failed;
}

function seenText({ at, by }: NonNullable<SeenEntry['acknowledged']>, nowMs: number): string {
  return `acknowledged ${localInstant(Date.parse(at), nowMs)} by ${oneLine(by, 60)}`;
}

function historyLines(
  entries: readonly SeenEntry[],
  { paint, nowMs }: { readonly paint: Paint; readonly nowMs: number },
): readonly string[] {
  const marks = { sent: paint.good('✓'), failed: paint.bad('✗'), dropped: paint.warn('✗') };
  return entries.flatMap(({ at, channel, priority, title, text, result, why, acknowledged }) => [
    `${marks[result]} ${localInstant(Date.parse(at), nowMs)}  ${channel}  ${priority}  ${oneLine(title, 120)}`,
    paint.dim(`    ${oneLine(text, 300)}`),
    ...(why === undefined ? [] : [paint.warn(`    not delivered: ${oneLine(why, 300)}`)]),
    ...(acknowledged === undefined ? [] : [paint.dim(`    ${seenText(acknowledged, nowMs)}`)]),
  ]);
}
