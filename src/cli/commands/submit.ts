import { localTimeZone, originOf, settingsWithoutEffect, submitLoop } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { listSettings } from '../../protocol/index.ts';
import { allOf, requiredFleet } from '../fleet-address.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';

const maxPriority = 100;

/** `ralphd submit`: queues a loop for the workers of a fleet. */
export async function submitCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { cwd, env, stdout, stderr } = surroundings;
  const address = requiredFleet(invocation, surroundings);
  const [task] = args;
  const more = task === undefined ? {} : { prompt: task };
  const { config, provenance, isGiven } = await settingsFor(invocation, surroundings, more);
  const here = typeof options['repo'] === 'string' ? undefined : await originOf(cwd, env);
  const repository = typeof options['repo'] === 'string' ? options['repo'] : here?.repository;
  if (repository === undefined) throw new LoopError(failures.submitNeedsRepository(cwd));
  const ref = typeof options['ref'] === 'string' ? options['ref'] : here?.branch;
  const { account } = options;
  const repeating = repeatingIn(options);
  const submission = {
    config,
    given: listSettings().flatMap(({ path }) => (isGiven(path) ? [path] : [])),
    chosen: Object.keys(provenance).filter((path) => ['flag', 'env'].includes(provenance[path]?.source ?? '')),
    repository,
    ...(ref === undefined ? {} : { ref }),
    priority: priorityIn(options),
    account: typeof account === 'string' ? account : undefined,
    labels: allOf(options['label']),
  };
  const loopId = await submitLoop(address, submission, repeating);
  const { warn } = paintFor(stderr);
  printLines(
    stderr,
    settingsWithoutEffect(isGiven).map((line) => warn(`! ${line}`)),
  );
  if (options['json'] === true) stdout.write(jsonLine({ loopId, repository, ref: ref ?? null }));
  else if (repeating === undefined) printLines(stdout, [`${loopId} is queued.`, `Follow it: ralphd watch ${loopId}`]);
  else printLines(stdout, [`${loopId} is scheduled.`, `Remove it: ralphd fleet unschedule ${loopId}`]);
  return exitCodes.completed;
}

const missedRuns = ['one', 'skip', 'all'] as const;

function repeatingIn({ every, zone, missed = 'one' }: Invocation['options']) {
  if (typeof every !== 'string') {
    if (zone === undefined && missed === 'one') return undefined;
    throw new LoopError(failures.optionNeedsOption(zone === undefined ? '--missed' : '--zone', '--every'));
  }
  const rule = missedRuns.find((each) => each === missed);
  if (rule === undefined)
    throw new LoopError(failures.badValue('--missed', 'one, skip or all', JSON.stringify(missed)));
  return { every, zone: typeof zone === 'string' ? zone : localTimeZone(), missed: rule };
}

function priorityIn({ priority }: Invocation['options']): number {
  if (priority === undefined) return 0;
  const value = Number(priority);
  if (Number.isInteger(value) && Math.abs(value) <= maxPriority) return value;
  throw new LoopError(failures.badValue('--priority', 'a whole number from -100 to 100', JSON.stringify(priority)));
}
