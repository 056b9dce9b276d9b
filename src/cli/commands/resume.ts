import {
  endedLoop,
  findLoop,
  placeOf,
  type ResumeChanges,
  resumeLoop,
  resumeSettings,
  resumeThroughOwner,
} from '../../app/index.ts';
import { isLoopId } from '../../base/index.ts';
import type { Loop } from '../../core/index.ts';
import { commandTable } from '../../protocol/index.ts';
import { follow, reportEnd } from '../follow.ts';
import { jsonLine } from '../output/json-line.ts';
import { printProblems } from '../output/problems.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd resume`: becomes the new owner of a loop and continues it. */
export async function resumeCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
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
  const isAsked = Object.keys(changes).length > 0;
  const ended = isAsked ? undefined : await endedLoop(place, loopId);
  if (ended !== undefined) return reportEnd(ended, surroundings, { asJson: invocation.options['json'] === true });
  const force = invocation.options['force'] === true;
  const acceptGate = invocation.options['accept-gate'] === true;
  const isPlain = !isAsked && !force && !acceptGate;
  const continued = isPlain
    ? await resumeThroughOwner(loopId, { place, context: appContext(surroundings) })
    : undefined;
  if (continued !== undefined) return reportContinued(continued, surroundings, invocation.options['json'] === true);
  await using driven = await resumeLoop(loopId, place, {
    context: appContext(surroundings),
    changes,
    acceptGate,
    force,
    locate,
  });
  using _problems = printProblems(driven, surroundings);
  return await follow(driven, surroundings, { asJson: invocation.options['json'] === true });
}

/** A loop whose owner has yet to pause it, or stays with it while it is paused, continues there. */
function reportContinued(loop: Loop, { stdout }: Surroundings, asJson: boolean): number {
  const answer = { loopId: loop.id, command: 'resume', accepted: true, status: loop.status };
  stdout.write(asJson ? jsonLine(answer) : `${loop.id} ${commandTable.resume.effect}.\n`);
  return 0;
}
