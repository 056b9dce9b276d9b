import { failures, LoopError, loopNameOf } from '../base/index.ts';
import { withSettings } from '../config/index.ts';
import { type Loop, workToContinue } from '../core/index.ts';
import { limitOf, limitSettings } from '../protocol/index.ts';
import { changedSettings } from './changed-settings.ts';
import type { DrivenLoop } from './driven-loop.ts';
import { valuesOf } from './plan-resume.ts';
import type { ResumeOptions } from './resume-loop.ts';
import { startLoop } from './start-loop.ts';
import type { LoopPlace } from './stores.ts';

/**
 * Continues the work of an ended loop in a new one: an ended loop never changes. Refuses unless a limit ended it and is
 * raised now, or the user asks for a new loop.
 */
export async function continueLoop(
  ended: Loop,
  { root }: LoopPlace,
  { context, changes, reload, asNew = false, locate }: ResumeOptions,
): Promise<DrivenLoop> {
  const continues = workToContinue(ended);
  if (continues === undefined || !(asNew || getsMoreRoom(ended, changes))) {
    throw new LoopError(failures.resumeRefused(ended.id, ended.status));
  }
  const reloaded = reload === undefined ? [] : await changedSettings(ended, reload);
  const config = withSettings(ended.config, { ...valuesOf(reloaded), ...changes });
  const { chosen } = ended.origin;
  // A chosen name is kept; the id is another one.
  const name = config.loopId === undefined ? {} : { loopId: loopNameOf(ended.id) };
  return await startLoop({ ...config, ...name }, context, {
    resumedFrom: ended.id,
    continues,
    ...(chosen === undefined ? {} : { chosen: [...new Set([...chosen, ...Object.keys(changes)])] }),
    place: { root, workingDirectory: ended.origin.workingDirectory },
    ...(locate === undefined ? {} : { locate }),
  });
}

function getsMoreRoom({ outcome }: Loop, changes: ResumeOptions['changes']): boolean {
  return limitOf(outcome.reason) !== undefined && limitSettings.some((setting) => changes[setting] !== undefined);
}
