import path from 'node:path';
import { type LoopView, showLoop } from '../../app/index.ts';
import { roughDuration, scrub } from '../../base/index.ts';
import {
  bestText,
  nearestFirst,
  paceOf,
  resumeCommand,
  type ShownLoop,
  standings,
  summariseTests,
  toldDoubts,
  trackedTests,
  waitLeftMs,
  waitOverAt,
  warningsOf,
} from '../../core/index.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { paceText } from '../output/pace-words.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine, shortDuration, widthOf, wrapLine } from '../output/plain.ts';
import { type Canvas, ruleLines, rulesTitle } from '../output/rule-lines.ts';
import { spentObject, spentText } from '../output/spent-words.ts';
import { measuresText, testRows } from '../output/test-rows.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

type View = LoopView<ShownLoop>;

/** `ralphd status`: what a loop is doing, why, and how near it is to stopping. */
export async function statusCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const view = await showLoop(await placeFor(invocation, surroundings), invocation.args[0]);
  const { stdout, cwd } = surroundings;
  const seen = { cwd, nowMs: Date.now(), paint: paintFor(stdout), width: widthOf(stdout) };
  if (invocation.options['json'] === true) stdout.write(jsonLine(statusObject(view, seen.nowMs)));
  else stdout.write(`${statusLines(view, seen).join('\n')}\n`);
  return 0;
}

function statusObject(
  { loop, shownStatus, owner, agentPid, folder, problems }: View,
  nowMs: number,
): Record<string, unknown> {
  const { id: loopId, uuid, phase, reason, message, verified, task, agent, iteration, attempt, stats, spent } = loop;
  const { startedAt, lastActivityAt, endedAt, wait, runningMs, resumedFrom, workingDirectory, gate } = loop;
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
    maxIterations: loop.config.maxIterations,
    agent,
    task,
    workingDirectory,
    startedAt,
    lastActivityAt,
    endedAt,
    runningMs,
    resumedFrom,
    wait,
    waitLeftMs: wait === undefined ? undefined : waitLeftMs(loop, nowMs),
    owner: owner === undefined ? null : { pid: owner.pid, host: owner.host, alive: owner.alive, since: owner.since },
    agentPid: agentPid ?? null,
    stats,
    spent: spentObject(spent),
    progress: { ...paceOf(loop), recentScores: loop.recentScores, lastIteration: loop.lastProgressIteration },
    best: loop.best === undefined ? null : { iteration: loop.best.iteration, ...loop.best.quality },
    notes: loop.notes,
    changedProtected: loop.protectedFiles.changed,
    lastGate: gate === undefined ? null : lastGate(gate),
    proof: loop.proof ?? 'none',
    doubts: toldDoubts(loop),
    warnings: warningsOf(loop),
    tests: testsObject(loop),
    measures: loop.measures,
    rules: standings(loop),
    folder,
    problems,
  };
}

function lastGate({ iteration, result }: NonNullable<ShownLoop['gate']>): Record<string, unknown> {
  const { verdict, tampered } = result;
  return { iteration, verdict, ...(tampered === undefined ? {} : { tampered }) };
}

/** The newest run of the tests, and every test that has failed once. */
function testsObject(loop: ShownLoop): Record<string, unknown> | null {
  const summary = summariseTests(loop);
  return summary === undefined ? null : { ...summary, tracked: trackedTests(loop.testMemory) };
}

/** Files of the gate that were not what they had been when it was last tried. */
function tamperedText({ gate, id }: ShownLoop): string | undefined {
  const { tampered } = gate?.result ?? {};
  if (tampered === undefined) return undefined;
  return `${oneLine(tampered.join(', '), 120)}; if that was you: ralphd resume ${id} --accept-gate`;
}

/** Where and when a loop is looked at. */
interface Seen extends Canvas {
  readonly cwd: string;
  readonly nowMs: number;
}

function statusLines({ loop, shownStatus, owner, agentPid, folder, problems }: View, seen: Seen): string[] {
  const { iteration, config, stats, gate } = loop;
  const { paint, cwd } = seen;
  const of = config.maxIterations === 0 ? '' : ` of ${config.maxIterations}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['status', statusText(shownStatus, loop.phase, paint)],
    ['why', loop.message === undefined ? undefined : `${loop.reason ?? ''}: ${oneLine(loop.message, 200)}`],
    ['iteration', `${iteration}${of}, ${stats.successfulIterations} with progress, ${stats.failedIterations} failed`],
    ['progress', paceText(loop)],
    ['running', shortDuration(loop.runningMs)],
    ['used', spentText(loop)],
    ['checks', gate === undefined ? undefined : `${gate.result.verdict} after iteration ${gate.iteration}`],
    ...testRows(loop),
    ['measured', measuresText(loop)],
    ['best', bestText(loop)],
    ['tampered', tamperedText(loop)],
    ['proof', loop.status === 'completed' ? loop.proof : undefined],
    ...toldDoubts(loop).map(({ message }) => ['look at', oneLine(message, 200)] as const),
    ...warningsOf(loop).map((warning) => ['warning', oneLine(warning, 200)] as const),
    ['waits', waitText(loop, seen.nowMs)],
    ['owner', owner === undefined ? undefined : `process ${owner.pid}${owner.alive ? '' : ', which is gone'}`],
    ['agent', agentPid === undefined ? undefined : agentText(agentPid, shownStatus)],
    ['task', oneLine(loop.task, 100)],
    ['state', path.relative(cwd, folder) || folder],
    ...nextStep(shownStatus, loop),
  ];
  return [
    `${paint.bold(loop.id)}`,
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : rowLines(name, value, seen))),
    '',
    paint.dim(`  ${rulesTitle(loop.status)}`),
    ...ruleLines(nearestFirst(standings(loop)), seen),
    ...problems.map((problem) => paint.warn(`  ! ${scrub(problem)}`)),
  ];
}

const nameWidth = 9;
const rowIndent = 2 + nameWidth + 1;

function rowLines(name: string, value: string, { paint, width }: Canvas): readonly string[] {
  const [first = '', ...rest] = wrapLine(value, width - rowIndent);
  return [`  ${paint.dim(name.padEnd(nameWidth))} ${first}`, ...rest.map((line) => ' '.repeat(rowIndent) + line)];
}

/** How much of a wait is left, until when, and what for. */
function waitText(loop: ShownLoop, nowMs: number): string | undefined {
  const { wait } = loop;
  if (wait === undefined) return undefined;
  const leftMs = waitLeftMs(loop, nowMs);
  if (leftMs === 0) return `no more: it goes on as soon as somebody drives it (${wait.cause})`;
  const until = localInstant(waitOverAt(wait, nowMs), nowMs);
  return `${roughDuration(leftMs)} more, until ${until}, because of ${causes[wait.cause]}: ${oneLine(wait.message, 120)}`;
}

const causes = {
  delay: 'the delay between iterations',
  limit: "the provider's limit",
  environment: 'its environment',
  unknown: 'an unknown failure',
  reboot: 'a reboot that failed',
} as const;

function statusText(status: View['shownStatus'], phase: string, paint: Paint): string {
  switch (status) {
    case 'running':
      return `${paint.note(status)}, ${phase}`;
    case 'completed':
      return paint.good(status);
    case 'crashed':
      return `${paint.bad(status)}: its process is gone, nothing is lost`;
    case 'paused':
    case 'completing':
    case 'idle':
      return paint.warn(status);
    case 'failed':
    case 'aborted':
      return paint.bad(status);
  }
}

function agentText(pid: number, status: View['shownStatus']): string {
  return `process ${pid}${status === 'crashed' ? ' still works; a resume goes on with it, an abort ends it' : ''}`;
}

function nextStep(status: View['shownStatus'], loop: ShownLoop): readonly (readonly [string, string])[] {
  if (status === 'crashed') return [['next', `ralphd resume ${loop.id}`]];
  return status === 'paused' ? [['next', resumeCommand(loop) ?? `ralphd explain ${loop.id}`]] : [];
}
