import {
  assertResumable,
  endedLoop,
  findLoop,
  type LeftAlone,
  type LoopPlace,
  leftAlone,
  placeOf,
  type ResumeChanges,
  removeRestart,
  resumeLoop,
  resumeSettings,
} from '../../app/index.ts';
import { exitCodes, isLoopId } from '../../base/index.ts';
import { detach, detaches, runHere } from '../detach.ts';
import { displayOf } from '../display.ts';
import { reportEnd } from '../follow.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd resume`: becomes the new owner of a loop and continues it. */
export async function resumeCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const display = displayOf(invocation);
  const { config, provenance, locate } = await settingsFor(invocation, surroundings);
  const place = placeOf(config, surroundings.cwd);
  const [query] = invocation.args;
  // A full id is used as is: a loop whose folder was deleted can still be restored.
  const loopId = query !== undefined && isLoopId(query) ? query : findLoop(place, query).loop.id;
  // Only options given now change the loop; everything else keeps its own configuration.
  const given = resumeSettings.filter((name) => provenance[name]?.source === 'flag');
  const bounds: ResumeChanges = Object.fromEntries(given.map((name) => [name, config[name]]));
  const isAccepted = invocation.options['accept-conditions'] === true;
  const changes = { ...bounds, ...(isAccepted ? { stopConditions: config.stopConditions } : {}) };
  const asNew = invocation.options['as-new'] === true;
  const isAsked = asNew || Object.keys(changes).length > 0;
  if (invocation.options['unattended'] === true) {
    const reason = leftAlone(place, loopId);
    if (reason !== undefined) return await leaveAlone(loopId, reason, { place, surroundings });
  }
  const ended = isAsked ? undefined : await endedLoop(place, loopId);
  if (ended !== undefined) return reportEnd(ended, surroundings, display);
  const force = invocation.options['force'] === true;
  const acceptGate = invocation.options['accept-gate'] === true;
  const options = { context: appContext(surroundings), changes, acceptGate, asNew, force, locate };
  if (detaches(invocation, surroundings)) {
    assertResumable(loopId, place, options);
    return await detach(invocation, surroundings, { place, loopId });
  }
  await using driven = await resumeLoop(loopId, place, options);
  const exitCode = await runHere(driven, display, surroundings);
  // Whoever started it, such as systemd, would take any other exit code for a reason to start it again.
  return invocation.options['unattended'] === true ? exitCodes.completed : exitCode;
}

async function leaveAlone(
  loopId: string,
  { why, hasEnded }: LeftAlone,
  { place, surroundings }: { readonly place: LoopPlace; readonly surroundings: Surroundings },
): Promise<number> {
  surroundings.stderr.write(`${loopId} is left alone: ${why}.\n`);
  if (hasEnded) await removeRestart(loopId, place, surroundings.env);
  return exitCodes.completed;
}
