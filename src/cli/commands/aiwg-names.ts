import { type LoopPlace, type LoopStatus, listStatuses, readStatus, recoverLoop } from '../../app/index.ts';
import { byText, exitCodes, failures, formatDuration, LoopError } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { asCommand, call } from './aiwg-call.ts';
import { analytics, config, migrate, migrateIfAsked, minutesIn, rebuild, refuse, startLoop } from './aiwg-tools.ts';

/**
 * `ralphd ralph`, `ralph-status`, `ralph-pause` and the others: the commands of ralphd under the names, with the flags,
 * variables and exit codes of AIWG: 0 done, 1 anything else, 2 for a command line that is wrong.
 */
export async function aiwgNamedCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  try {
    const action = actions[invocation.command.name] ?? onLoop;
    const code = await action(withStateFolder(invocation, surroundings), surroundings);
    return code === exitCodes.completed || isSignal(code) ? code : exitCodes.failed;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { exitCode, code } = error.failure;
    const exit = badArguments.has(code) ? wrongCommandLine : exitCodes.failed;
    throw new LoopError({ ...error.failure, exitCode: isSignal(exitCode) ? exitCode : exit }, { cause: error });
  }
}

type Action = (invocation: Invocation, surroundings: Surroundings) => Promise<number>;

/** Commands whose arguments are not those of one loop. */
const actions: Readonly<Record<string, Action>> = {
  ralph: startLoop,
  'ralph-analytics': analytics,
  'ralph-migrate': migrate,
  'ralph-rebuild-registry': rebuild,
  'ralph-config': config,
  'ralph-memory': refuse,
  'ralph-reflect': refuse,
};

const wrongCommandLine = 2;
/** What is wrong with the values of a command line, which is known only after it was parsed. */
const badArguments: ReadonlySet<string> = new Set([
  'BAD_VALUE',
  'CONFLICTING_OPTIONS',
  'MISSING_ARGUMENT',
  'NOTHING_TO_VERIFY',
  'TOO_MANY_ARGUMENTS',
  'UNKNOWN_SUBCOMMAND',
]);

function isSignal(code: number): boolean {
  return code === exitCodes.interrupted || code === exitCodes.terminated;
}

/** The state folder may come from a variable. */
function withStateFolder(invocation: Invocation, { env }: Surroundings): Invocation {
  const { options } = invocation;
  const folder = options['state-dir'] ?? env['RALPH_STATE_DIR'];
  return folder === undefined || folder === ''
    ? invocation
    : { ...invocation, options: { ...options, 'state-dir': folder } };
}

/** The loop may come from a variable too. */
function withLoop(invocation: Invocation, { env }: Surroundings): Invocation {
  const { options, args } = invocation;
  const given = options['loop-id'] ?? options['loop'] ?? args[0] ?? env['RALPH_LOOP_ID'];
  return { ...invocation, args: typeof given === 'string' && given !== '' ? [given] : [] };
}

async function onLoop(given: Invocation, surroundings: Surroundings): Promise<number> {
  const invocation = withLoop(given, surroundings);
  const { command, options } = invocation;
  await migrateIfAsked(invocation, surroundings);
  switch (command.aliasOf) {
    case 'status':
      return await status(invocation, surroundings);
    case 'resume':
      return await resume(invocation, surroundings);
    case 'rollback':
      return await call(
        'rollback',
        options['force'] === true ? { ...invocation, options: { ...options, yes: true } } : invocation,
        surroundings,
      );
    case 'abort':
      if (options['revert'] === true) throw new LoopError(failures.revertNotPossible());
      return await call('abort', invocation, surroundings);
    default:
      return await call(command.aliasOf ?? 'status', invocation, surroundings);
  }
}

async function status(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options } = invocation;
  if (options['check-stale'] === true) return await checkStale(invocation, surroundings);
  if (options['all'] === true) return await call('ls', { ...invocation, args: [] }, surroundings);
  const chosen =
    options['latest'] === true ? await latest(await placeFor(asCommand('status', invocation), surroundings)) : [];
  const asked = { ...invocation, args: [...chosen, ...invocation.args].slice(0, 1) };
  const isVerbose = options['verbose'] === true || surroundings.env['RALPH_VERBOSE'] === 'true';
  const code = await call('status', asked, surroundings);
  return isVerbose && options['json'] !== true ? await call('explain', asked, surroundings) : code;
}

async function latest(place: LoopPlace): Promise<readonly string[]> {
  const { loops } = await listStatuses(place);
  const [newest] = loops.toSorted((one, other) => byText(other.view.startedAt ?? '', one.view.startedAt ?? ''));
  return newest === undefined ? [] : [newest.view.id];
}

/** Lists the loops whose process died; a user may acknowledge that, which ends them. */
async function checkStale(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(asCommand('status', invocation), surroundings);
  const { loops } = await listStatuses(place);
  const stale = loops.filter(isStale).map(({ view }) => view.id);
  const marks = invocation.options['mark'] === true;
  if (marks) for (const id of stale) await recoverLoop(place, id, { dryRun: false, markCrashed: true });
  if (invocation.options['json'] === true) surroundings.stdout.write(jsonLine({ stale, marked: marks }));
  else printLines(surroundings.stdout, staleLines(stale, marks));
  return exitCodes.completed;
}

function isStale({ shownStatus, view }: LoopStatus): boolean {
  return shownStatus === 'crashed' && view.status !== 'crashed';
}

function staleLines(stale: readonly string[], isMarked: boolean): readonly string[] {
  if (stale.length === 0) return ['No loop has lost its process.'];
  const next = (id: string) => (isMarked ? 'ended as crashed' : `its process died; continue it: ralphd resume ${id}`);
  return stale.map((id) => `${id}: ${next(id)}`);
}

/** A new timeout counts from now on; a loop that completed or was aborted stays as it is. */
async function resume(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { timeout, 'max-iterations': maximum } = invocation.options;
  const { view } = await readStatus(await placeFor(asCommand('resume', invocation), surroundings), invocation.args[0]);
  if (view.status === 'completed' || view.status === 'aborted') {
    throw new LoopError(failures.resumeRefused(view.id, view.status));
  }
  const moreMs = timeout === undefined ? undefined : minutesIn(timeout);
  const longer = moreMs === undefined ? undefined : formatDuration(Math.ceil(view.runningMs) + moreMs);
  const options = {
    ...invocation.options,
    ...(maximum === undefined ? {} : { 'max-iterations': maximum }),
    ...(longer === undefined ? {} : { 'max-time': longer }),
  };
  return await call('resume', { ...invocation, args: [view.id], options }, surroundings);
}
