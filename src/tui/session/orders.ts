import { randomUUID } from 'node:crypto';
import { findLoop, localSender, resumeThroughOwner, sendToLoop } from '../../app/index.ts';
import { LoopError, loopNameOf } from '../../base/index.ts';
import type { LoopOrder } from '../../core/index.ts';
import { commandTable } from '../../protocol/index.ts';
import type { ScreenSetting } from './setting.ts';

/** Sends a command as the command line does, and says what came of it. */
export async function sendFrom(setting: ScreenSetting, loopId: string, order: LoopOrder): Promise<string> {
  const { place, context } = setting;
  try {
    const command = { ...order, id: randomUUID(), sender: localSender('cli') };
    await sendToLoop(findLoop(place, loopId), command, { place, context });
    return order.command === 'guide'
      ? `Saved: part of every prompt from the next one on. To see or drop it: ralphd guide ${loopId} --list`
      : `${loopNameOf(loopId)} ${commandTable[order.command].effect}.`;
  } catch (error) {
    return refusalText(error);
  }
}

/** Takes back a pause that has not happened yet. */
export async function takeBackPause(setting: ScreenSetting, loopId: string): Promise<string> {
  try {
    const loop = await resumeThroughOwner(loopId, setting);
    return loop === undefined ? 'No process runs it: r resumes it here.' : `${loopNameOf(loopId)} continues.`;
  } catch (error) {
    return refusalText(error);
  }
}

function refusalText(error: unknown): string {
  if (!(error instanceof LoopError)) throw error;
  return `Not done: ${error.message}`;
}
