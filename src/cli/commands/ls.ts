import {
  knownPlaces,
  type LoopPlace,
  type LoopStatus,
  listStatuses,
  lostLoops,
  remoteLoopsAt,
  type UndrivenLoop,
} from '../../app/index.ts';
import { byText, failures, LoopError, scrub } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { loopTable, nearestRule } from '../output/loop-table.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine, widthOf } from '../output/plain.ts';
import { waitLeftMs } from '../output/wait-left.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd ls`: all loops of the project, or of all projects, newest last. */
export async function lsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options } = invocation;
  const asJson = options['json'] === true;
  if (options['all'] === true && options['db'] !== undefined)
    throw new LoopError(failures.conflictingOptions('--all', '--db'));
  if (options['all'] === true) return await listAll(surroundings, { asJson });
  const listed = await listAt(await placeFor(invocation, surroundings), surroundings);
  if (asJson) {
    surroundings.stdout.write(jsonLine(listObject(listed)));
    return 0;
  }
  if (isEmpty(listed)) surroundings.stderr.write('No loops here. Start one: ralphd run "TASK" --verify CMD\n');
  print(listed, surroundings);
  return 0;
}

/** The loops of all of this user's projects, by project. */
async function listAll(surroundings: Surroundings, { asJson }: { readonly asJson: boolean }): Promise<number> {
  const { stdout, stderr, env } = surroundings;
  const all = await Promise.all(knownPlaces(env).map(async (place) => await listAt(place, surroundings)));
  const shown = all.filter((listed) => !isEmpty(listed));
  if (asJson) {
    const projects = shown.map((listed) => {
      return { project: listed.place.workingDirectory, stateDir: listed.place.root, ...listObject(listed) };
    });
    stdout.write(jsonLine({ projects }));
    return 0;
  }
  if (shown.length === 0) stderr.write('No loops in any of your projects.\n');
  for (const [index, listed] of shown.entries()) {
    stdout.write(`${index === 0 ? '' : '\n'}${paintFor(stdout).bold(scrub(listed.place.workingDirectory))}\n`);
    print(listed, surroundings);
  }
  return 0;
}

/** The loops of one place. */
interface Listed {
  readonly place: LoopPlace;
  /** Newest last. */
  readonly loops: readonly LoopStatus[];
  readonly unreadable: readonly { readonly loopId: string; readonly error: LoopError }[];
  /** Loops whose folder is gone, but which `resume` can restore. */
  readonly lost: readonly string[];
  /** Loops of a fleet that no worker has started yet; missing for those of this machine. */
  readonly unstarted?: readonly UndrivenLoop[];
}

async function listAt(place: LoopPlace, { env }: Surroundings): Promise<Listed> {
  const { loops, unreadable } = await listStatuses(place);
  const sorted = loops.toSorted((one, other) => byText(one.view.startedAt ?? '', other.view.startedAt ?? ''));
  const known = [...loops.map(({ view }) => view.id), ...unreadable.map(({ loopId }) => loopId)];
  const remote = remoteLoopsAt(place.root);
  if (remote === undefined) return { place, loops: sorted, unreadable, lost: lostLoops(place, env, known) };
  return { place, loops: sorted, unreadable, lost: [], unstarted: remote.undriven().filter((loop) => !loop.isStarted) };
}

function isEmpty({ loops, unreadable, lost, unstarted = [] }: Listed): boolean {
  return loops.length + unreadable.length + lost.length + unstarted.length === 0;
}

function listObject({ loops, unreadable, lost, unstarted }: Listed): Record<string, unknown> {
  const nowMs = Date.now();
  const broken = unreadable.map(({ loopId, error }) => ({ loopId, error: error.failure.code }));
  return { loops: loops.map((found) => summary(found, nowMs)), unreadable: broken, lost, unstarted };
}

function print({ loops, unreadable, lost, unstarted = [] }: Listed, { stdout, stderr }: Surroundings): void {
  for (const line of loopTable(loops, { nowMs: Date.now(), paint: paintFor(stdout), width: widthOf(stdout) }))
    stdout.write(`${line}\n`);
  for (const loop of unstarted) stdout.write(`${unstartedLine(loop)}\n`);
  for (const { loopId, error } of unreadable) stderr.write(scrub(`${loopId}: ${error.failure.message}\n`));
  for (const loopId of lost) stderr.write(`${loopId}: its folder is gone. Restore it: ralphd resume ${loopId}\n`);
}

function unstartedLine({ id, title, isSetAside, why, submittedAt }: UndrivenLoop): string {
  const since = localInstant(Date.parse(submittedAt), Date.now());
  const reason = why === undefined ? '' : ` (${oneLine(why, 300)})`;
  const state = isSetAside ? 'set aside before it started' : `waits for its first worker since ${since}`;
  return `${id}  ${state}${reason}  ${oneLine(title, 80)}`;
}

function summary(
  { view, shownStatus, wakeAt, hostSession, landed }: LoopStatus,
  nowMs: number,
): Record<string, unknown> {
  const { id: loopId, iteration, reason, verified, proof, startedAt, task, agent, lastActivityAt, wait } = view;
  return {
    loopId,
    status: shownStatus,
    iteration,
    reason,
    verified,
    proof,
    startedAt,
    lastActivityAt,
    agent,
    task: oneLine(task, 200),
    worktree: view.worktree,
    landed,
    nextStop: (!isTerminal(view.status) && nearestRule(view.rules)) || null,
    waitLeftMs: wait === undefined ? undefined : waitLeftMs(wait, nowMs),
    wakeAt,
    session: hostSession,
  };
}
