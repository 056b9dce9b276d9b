import { type LoopPlace, type LoopStatus, listStatuses, readStatus, recoverLoop } from '../../app/index.ts';
import { byText, exitCodes, failures, formatDuration, LoopError } from '../../base/index.ts';
import { commandDefinitions } from '../definitions.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * `ralphd ralph-status`, `ralph-pause`, `ralph-resume` and `ralph-abort`: the commands of ralphd under the names, with the
 * flags, variables and exit codes of AIWG: 0 done, 1 anything else, 2 for a command line that is wrong.
 */
export async function aiwgNamedCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  try {
    const code = await carryOut(withVariables(invocation, surroundings), surroundings);
    return code === exitCodes.completed || isSignal(code) ? code : exitCodes.failed;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { exitCode } = error.failure;
    const exit = isSignal(exitCode) ? exitCode : exitCodes.failed;
    throw new LoopError({ ...error.failure, exitCode: exit }, { cause: error });
  }
}

function isSignal(code: number): boolean {
  return code === exitCodes.interrupted || code === exitCodes.terminated;
}

/** The loop and the state folder may come from variables. */
function withVariables(invocation: Invocation, { env }: Surroundings): Invocation {
  const { options, args } = invocation;
  const given = options['loop-id'] ?? args[0] ?? env['RALPH_LOOP_ID'];
  const folder = options['state-dir'] ?? env['RALPH_STATE_DIR'];
  return {
    ...invocation,
    args: typeof given === 'string' && given !== '' ? [given] : [],
    options: { ...options, ...(folder === undefined || folder === '' ? {} : { 'state-dir': folder }) },
  };
}

async function carryOut(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  switch (invocation.command.aliasOf) {
    case 'status':
      return await status(invocation, surroundings);
    case 'resume':
      return await resume(invocation, surroundings);
    case 'abort':
      if (invocation.options['revert'] === true) throw new LoopError(failures.revertNotPossible());
      return await call('abort', invocation, surroundings);
    default:
      return await call('pause', invocation, surroundings);
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
  const minutes = timeout === undefined ? undefined : Number(timeout);
  if (minutes !== undefined && !(Number.isSafeInteger(minutes) && minutes > 0)) {
    throw new LoopError(failures.badValue('--timeout', 'a whole number of minutes', `"${String(timeout)}"`));
  }
  const longer = minutes === undefined ? undefined : formatDuration(Math.ceil(view.runningMs) + minutes * 60_000);
  const options = {
    ...invocation.options,
    ...(maximum === undefined ? {} : { 'max-iterations': maximum }),
    ...(longer === undefined ? {} : { 'max-time': longer }),
  };
  return await call('resume', { ...invocation, args: [view.id], options }, surroundings);
}

async function call(name: string, invocation: Invocation, surroundings: Surroundings): Promise<number> {
  return await (await handlerOf(name))(asCommand(name, invocation), surroundings);
}

/** The same request for another command: its options, as far as that command has them. */
function asCommand(name: string, { args, options, passedOn }: Invocation): Invocation {
  const command = commandDefinitions.find((each) => each.name === name);
  if (command === undefined) throw new TypeError(`There is no command ${name}.`);
  const known = Object.entries(options).filter(([option]) => command.options.some((each) => each.name === option));
  return { command, args, options: Object.fromEntries(known), passedOn };
}

type Handler = (invocation: Invocation, surroundings: Surroundings) => Promise<number>;

async function handlerOf(name: string): Promise<Handler> {
  switch (name) {
    case 'ls':
      return (await import('./ls.ts')).lsCommand;
    case 'status':
      return (await import('./status.ts')).statusCommand;
    case 'explain':
      return (await import('./explain.ts')).explainCommand;
    case 'resume':
      return (await import('./resume.ts')).resumeCommand;
    default:
      return (await import('./control.ts')).controlCommand;
  }
}
