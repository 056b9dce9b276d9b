import path from 'node:path';
import {
  type LoopPlace,
  type LoopStatus,
  orLost,
  readStatus,
  remoteLoopsAt,
  type WorkElsewhere,
  workElsewhere,
} from '../../app/index.ts';
import { roughDuration, scrub } from '../../base/index.ts';
import { nearestFirst, waitOverAt } from '../../core/index.ts';
import type { StoredView } from '../../protocol/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine, shortDuration, widthOf } from '../output/plain.ts';
import { type Canvas, ruleLines, rulesTitle } from '../output/rule-lines.ts';
import { measuresText, testRows } from '../output/test-rows.ts';
import { waitLeftMs } from '../output/wait-left.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { backupRows } from '../words/backups.ts';
import { bestText } from '../words/best-iteration.ts';
import { modeText, patienceText, questionText, reasonsText } from '../words/decisions.ts';
import { denialText } from '../words/denials.ts';
import { resumeLine } from '../words/next-steps.ts';
import { lastActivityOf, nowObject, nowRows, runningMsOf } from '../words/now.ts';
import { paceText, returnsText } from '../words/pace.ts';
import { pendingObjects, pendingRows } from '../words/pending.ts';
import { resourcesText } from '../words/resources.ts';
import { sessionText } from '../words/session.ts';
import { spentObject, spentText } from '../words/spent.ts';
import { landedText, worktreeText } from '../words/worktree.ts';

/** `ralphd status`: what a loop is doing, why, and how close it is to stopping. */
export async function statusCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const place = await placeFor(invocation, surroundings);
  const [query] = invocation.args;
  const found = await orLost(() => readStatus(place, query), { place, env: surroundings.env, query });
  const { stdout, cwd } = surroundings;
  const fleet = await readFleetSide(place, found.view.id);
  const screen = { cwd, nowMs: Date.now(), paint: paintFor(stdout), width: widthOf(stdout) };
  if (invocation.options['json'] === true) stdout.write(jsonLine({ ...statusObject(found, screen.nowMs), ...fleet }));
  else printLines(stdout, statusLines(found, { ...screen, fleet }));
  return 0;
}

function statusObject(found: LoopStatus, nowMs: number): Record<string, unknown> {
  const { view, shownStatus, wakeAt, agentPid, folder, problems, continuedBy } = found;
  const { id: loopId, uuid, phase, reason, message, verified, iteration, attempt, maxIterations, agent, task } = view;
  const { workingDirectory, startedAt, endedAt, requested, requestedBy, resumedFrom, wait, stats, spent } = view;
  const { progress, best, notes, changedProtected, lastGate, proof, doubts, warnings, tests, measures, rules } = view;
  return {
    loopId,
    uuid,
    status: shownStatus,
    phase,
    reason,
    message,
    verified,
    iteration,
    attempt,
    maxIterations,
    agent,
    task,
    workingDirectory,
    worktree: view.worktree,
    sandbox: view.sandbox ?? 'off',
    landed: found.landed,
    startedAt,
    lastActivityAt: lastActivityOf(found),
    endedAt,
    runningMs: runningMsOf(found, nowMs),
    now: nowObject(found, nowMs),
    requested,
    requestedBy: requestedBy ?? null,
    pendingCommands: pendingObjects(found, nowMs),
    resumedFrom,
    continuedBy,
    mode: view.mode,
    nextMode: view.nextMode ?? null,
    question: view.question ?? null,
    wait,
    waitLeftMs: wait === undefined ? undefined : waitLeftMs(wait, nowMs),
    wakeAt,
    session: found.hostSession,
    agentSession: view.agentSession ?? null,
    reboots: view.reboots,
    owner: ownerObject(found),
    agentPid: agentPid ?? null,
    stats,
    spent: spentObject(spent),
    progress,
    best: best === undefined ? null : { iteration: best.iteration, ...best.quality },
    notes,
    changedProtected,
    denied: view.denied ?? null,
    lastGate: lastGate ?? null,
    proof,
    doubts,
    warnings,
    tests: tests ?? null,
    measures,
    rules,
    backups: found.backups,
    folder,
    problems,
  };
}

/** `alive` is null for an owner on another machine, which cannot be checked. */
function ownerObject({ owner, ownerState }: LoopStatus) {
  if (owner === undefined) return null;
  const { pid, host, since, liveness } = owner;
  return { pid, host, alive: liveness === 'unknown' ? null : liveness === 'alive', state: ownerState, since };
}

/** What only the fleet knows about a loop; undefined for one of this machine. */
interface FleetSide {
  readonly work: WorkElsewhere | null;
  /** Why no worker goes on with it until a person acts. */
  readonly setAside: string | null;
}

async function readFleetSide(place: LoopPlace, loopId: string): Promise<FleetSide | undefined> {
  const remote = remoteLoopsAt(place.root);
  if (remote === undefined) return undefined;
  const held = remote.undriven().find(({ id, isSetAside }) => id === loopId && isSetAside);
  return { work: (await workElsewhere(place, loopId)) ?? null, setAside: held?.why ?? null };
}

function fleetRows({ work, setAside }: FleetSide, loopId: string): readonly (readonly [string, string])[] {
  const why = setAside === null ? [] : [`${oneLine(setAside, 300)}; when it is fixed: ralphd fleet requeue ${loopId}`];
  return [
    ...why.map((text) => ['set aside', text] as const),
    ...(work === null ? [] : [['work', `branch ${work.branch} of ${oneLine(work.repository, 200)}`] as const]),
  ];
}

function ownerText({ owner, ownerState }: LoopStatus, fleet: FleetSide | undefined): string | undefined {
  if (owner === undefined) return undefined;
  const { pid, host, since } = owner;
  // Process 0 stands for the next worker.
  if (fleet !== undefined)
    return pid === 0 ? 'none; it waits for a worker' : `a worker on ${oneLine(host, 100)}, process ${pid}`;
  switch (ownerState) {
    case 'none':
    case 'working':
      return `process ${pid}`;
    case 'stopped':
      return `process ${pid}, which is stopped (Ctrl-Z or SIGSTOP); continue it with: kill -CONT ${pid}`;
    case 'dead':
      return `process ${pid}, which has died`;
    case 'unknown':
      return `process ${pid} on ${host} since ${since}; this machine cannot see whether it still runs`;
  }
}

function parkedText({ wakeAt, hostSession }: LoopStatus, nowMs: number): string | undefined {
  if (hostSession !== undefined) {
    const { agent, id } = hostSession;
    return `an interactive session of ${agent}${id === undefined ? '' : ` (${id})`}; no process runs the loop until it stops`;
  }
  return wakeAt === undefined ? undefined : `no process runs it now; due at ${localInstant(Date.parse(wakeAt), nowMs)}`;
}

/** Guarded files that were changed when the checks last ran. */
function tamperedText({ lastGate, id }: StoredView): string | undefined {
  if (lastGate?.tampered === undefined) return undefined;
  return `${oneLine(lastGate.tampered.join(', '), 120)}; if you changed this: ralphd resume ${id} --accept-gate`;
}

/** Where and when the status is shown. */
interface Screen extends Canvas {
  readonly cwd: string;
  readonly nowMs: number;
  readonly fleet: FleetSide | undefined;
}

function statusLines(found: LoopStatus, screen: Screen): string[] {
  const { view, shownStatus, agentPid, folder, problems, continuedBy } = found;
  const { iteration, maxIterations, stats, reason, message, lastGate } = view;
  const { paint, cwd, fleet } = screen;
  const of = maxIterations === 0 ? '' : ` of ${maxIterations}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['status', statusText(found, paint)],
    ['why', message === undefined ? undefined : `${reason ?? ''}: ${oneLine(message, 200)}`],
    ['iteration', `${iteration}${of}, ${stats.successfulIterations} with progress, ${stats.failedIterations} failed`],
    ['progress', paceText(view.progress, view.status)],
    ['returns', returnsText(view.progress, view.status)],
    ['session', sessionText(view.agentSession, view.id)],
    ['time', shortDuration(runningMsOf(found, screen.nowMs))],
    ...nowRows(found, screen.nowMs),
    ...pendingRows(found, screen.nowMs),
    ['used', spentText(view.spent)],
    ['bounds', resourcesText(view.resources, screen.nowMs)],
    ['checks', lastGate === undefined ? undefined : `${lastGate.verdict} after iteration ${lastGate.iteration}`],
    ...testRows(view.tests),
    ['measured', measuresText(view.measures)],
    ['best', bestText(view.bestResult)],
    ['tampered', tamperedText(view)],
    ['denied', view.denied && oneLine(denialText(view.denied, view.agent), 300)],
    ['sandbox', view.sandbox],
    ['proof', view.status === 'completed' ? view.proof : undefined],
    ...view.doubts.map((doubt) => ['doubt', oneLine(doubt.message, 200)] as const),
    ...view.warnings.map((warning) => ['warning', oneLine(warning, 200)] as const),
    [
      'mode',
      view.mode === 'unattended' && view.nextMode === undefined ? undefined : modeText(view.mode, view.nextMode),
    ],
    ['asks', askText(view, screen.nowMs)],
    ['waiting', waitText(view, screen.nowMs)],
    ['owner', ownerText(found, fleet) ?? parkedText(found, screen.nowMs)],
    ['agent', agentPid === undefined ? undefined : agentText(agentPid, shownStatus)],
    ['task', oneLine(view.task, 100)],
    ...(fleet === undefined ? [] : fleetRows(fleet, view.id)),
    ['worktree', view.worktree && worktreeText(view.worktree)],
    ['landed', found.landed && landedText(found.landed)],
    ...backupRows(found.backups, screen.nowMs),
    ['continues', view.resumedFrom],
    ['next loop', continuedBy],
    ['state', path.relative(cwd, folder) || folder],
    ['next', nextStep(found)],
  ];
  return [
    `${paint.bold(view.id)}`,
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${paint.dim(name.padEnd(9))} ${value}`])),
    '',
    paint.dim(`  ${rulesTitle(view.status)}`),
    ...ruleLines(nearestFirst(view.rules), screen),
    ...problems.map((problem) => paint.warn(`  ! ${scrub(problem)}`)),
  ];
}

/** What the loop asks, and what happens if nobody answers. */
function askText({ question }: StoredView, nowMs: number): string | undefined {
  if (question === undefined) return undefined;
  return `${questionText(question)} (${reasonsText(question.why)}); ${patienceText(question.approveAt, nowMs)}`;
}

/** How much longer the loop waits, until when, and why. */
function waitText({ wait }: StoredView, nowMs: number): string | undefined {
  if (wait === undefined) return undefined;
  const leftMs = waitLeftMs(wait, nowMs);
  if (leftMs === 0) return `over; the loop continues once it is resumed (${wait.cause})`;
  const until = localInstant(waitOverAt(wait, nowMs), nowMs);
  return `${roughDuration(leftMs)}, until ${until}, because of ${causes[wait.cause]}: ${oneLine(wait.message, 120)}`;
}

const causes = {
  delay: 'the delay between iterations',
  limit: "the provider's limit",
  environment: 'an environment problem',
  unknown: 'an unknown failure',
  reboot: 'a failed reboot',
  schedule: 'its schedule',
  rate: 'the bound on API calls per hour',
} as const;

function statusText({ shownStatus: status, ownerState, view }: LoopStatus, paint: Paint): string {
  switch (status) {
    case 'running':
      if (ownerState === 'stopped') return `${paint.warn(status)}, but its process is stopped`;
      return `${paint.note(status)}, ${view.phase}`;
    case 'completed':
      return paint.good(status);
    case 'crashed':
      return `${paint.bad(status)}: its process died, nothing was lost`;
    case 'paused':
    case 'completing':
    case 'idle':
      return paint.warn(status);
    case 'failed':
    case 'aborted':
      return paint.bad(status);
  }
}

function agentText(pid: number, status: LoopStatus['shownStatus']): string {
  return `process ${pid}${status === 'crashed' ? ' is still working; resume adopts it, abort ends it' : ''}`;
}

function nextStep({ shownStatus: status, wakeAt, view, landed }: LoopStatus): string {
  if (status === 'crashed' || wakeAt !== undefined) return `ralphd resume ${view.id}`;
  if (status === 'paused' && view.resume !== undefined) return resumeLine(view.resume, view.id);
  const isToLand = status === 'completed' && view.worktree !== undefined && landed === undefined;
  return `ralphd ${isToLand ? 'land' : nextCommands[status]} ${view.id}`;
}

const nextCommands = {
  idle: 'watch',
  running: 'watch',
  completing: 'watch',
  paused: 'explain',
  completed: 'report',
  failed: 'explain',
  aborted: 'explain',
} as const;
