import {
  assertResumable,
  endedLoop,
  findLoopId,
  idOrLost,
  type LeftAlone,
  type LoopPlace,
  leftAlone,
  placeOf,
  type ResumeChanges,
  removeRestart,
  resumeLoop,
  resumeThroughOwner,
} from '../../app/index.ts';
import { exitCodes } from '../../base/index.ts';
import { type LoadedConfig, valueAt } from '../../config/index.ts';
import { type Loop, mustAsk } from '../../core/index.ts';
import { commandTable, listSettings, whyFixed } from '../../protocol/index.ts';
import { assertCanAsk } from '../can-ask.ts';
import { detach, detaches, runHere } from '../detach.ts';
import { displayOf } from '../display.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { printKeptSettings } from '../output/kept-settings.ts';
import type { Invocation } from '../parse.ts';
import { fleetAddressOf } from '../place.ts';
import { projectFolder } from '../project-folder.ts';
import { reportEnd } from '../report-end.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { contextWithConsent } from '../trust/consent.ts';
import { resumeInFleet } from './resume-in-fleet.ts';

/** `ralphd resume`: becomes the new owner of a loop and continues it, or continues an ended one in a new loop. */
export async function resumeCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const fleet = fleetAddressOf(invocation, surroundings);
  if (fleet !== undefined) return await resumeInFleet(fleet, invocation, surroundings);
  const display = displayOf(invocation);
  const loaded = await settingsFor(invocation, surroundings);
  const { config, isGiven, locate, brought } = loaded;
  const place = placeOf(config, projectFolder(invocation, surroundings));
  const [query] = args;
  const { env } = surroundings;
  const loopId = await idOrLost(() => findLoopId(place, query), { place, env, query });
  const isAccepted = options['accept-conditions'] === true;
  const changes = { ...givenNow(loaded), ...(isAccepted ? { stopConditions: config.stopConditions } : {}) };
  const asNew = options['as-new'] === true;
  const isExplicit = asNew || Object.keys(changes).length > 0;
  if (options['unattended'] === true) {
    const reason = leftAlone(place, loopId);
    if (reason !== undefined) return await skipResume(loopId, reason, { place, surroundings });
  }
  const ended = isExplicit ? undefined : await endedLoop(place, loopId);
  if (ended !== undefined) return reportEnd(ended, surroundings, display);
  const current = { config, isGiven };
  const isReloaded = options['reload'] === true;
  const isPlain =
    !isExplicit && !isReloaded && !['force', 'accept-gate', 'unattended'].some((name) => options[name] === true);
  const context = contextWithConsent(invocation, surroundings);
  const continued = isPlain ? await resumeThroughOwner(loopId, { place, context }) : undefined;
  if (continued !== undefined) return reportContinued(continued, surroundings, options['json'] === true);
  const request = {
    context,
    changes,
    ...(isReloaded ? { reload: current } : {}),
    ...(isReloaded || isAccepted ? { brought } : {}),
    acceptGate: options['accept-gate'] === true,
    asNew,
    force: options['force'] === true,
    locate,
    review: (loop: Loop) => {
      if (mustAsk(loop)) assertCanAsk(invocation, surroundings);
    },
  };
  if (detaches(invocation, surroundings)) {
    const { isNew } = await assertResumable(loopId, place, request);
    return await detach(invocation, surroundings, { place, ...(isNew ? {} : { loopId }) });
  }
  await using driven = await resumeLoop(loopId, place, request);
  await printKeptSettings(driven, surroundings, { current, isReloaded });
  const exitCode = await runHere(driven, display, surroundings);
  // systemd would start the loop again after any other exit code.
  return options['unattended'] === true ? exitCodes.completed : exitCode;
}

async function skipResume(
  loopId: string,
  { why, hasEnded }: LeftAlone,
  { place, surroundings }: { readonly place: LoopPlace; readonly surroundings: Surroundings },
): Promise<number> {
  surroundings.stderr.write(`${loopId} was not resumed: ${why}.\n`);
  if (hasEnded) await removeRestart(loopId, place, surroundings.env);
  return exitCodes.completed;
}

/** Options given with this command change the loop; other settings keep the values it was started with. */
function givenNow({ config, provenance }: LoadedConfig): ResumeChanges {
  const given = listSettings().filter(
    ({ path }) => provenance[path]?.source === 'flag' && whyFixed(path) === undefined,
  );
  return Object.fromEntries(given.map(({ path }) => [path, valueAt(config, path.split('.'))]));
}

/** The current owner continues the loop itself: it has not paused it yet, or still holds it while it is paused. */
function reportContinued(loop: Loop, { stdout }: Surroundings, asJson: boolean): number {
  const answer = { loopId: loop.id, command: 'resume', accepted: true, status: loop.status };
  if (asJson) stdout.write(jsonLine(answer));
  else printLines(stdout, [`${loop.id} ${commandTable.resume.effect}.`]);
  return 0;
}
