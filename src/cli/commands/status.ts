import path from 'node:path';
import { type LoopView, showLoop } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { type RuleStanding, type ShownLoop, standings } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine, shortDuration } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

type View = LoopView<ShownLoop>;

/** `ralphd status`: what a loop is doing, why, and how near it is to stopping. */
export async function statusCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const view = await showLoop(await placeFor(invocation, surroundings), invocation.args[0]);
  const { stdout, cwd } = surroundings;
  if (invocation.options['json'] === true) stdout.write(jsonLine(statusObject(view)));
  else stdout.write(`${statusLines(view, cwd, paintFor(stdout)).join('\n')}\n`);
  return 0;
}

function statusObject({ loop, shownStatus, owner, agentPid, folder, problems }: View): Record<string, unknown> {
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
    owner: owner === undefined ? null : { pid: owner.pid, host: owner.host, alive: owner.alive, since: owner.since },
    agentPid: agentPid ?? null,
    stats,
    spent,
    lastGate: gate === undefined ? null : { iteration: gate.iteration, verdict: gate.result.verdict },
    rules: standings(loop),
    folder,
    problems,
  };
}

function statusLines(
  { loop, shownStatus, owner, agentPid, folder, problems }: View,
  cwd: string,
  paint: Paint,
): string[] {
  const { iteration, config, stats, gate, wait } = loop;
  const of = config.maxIterations === 0 ? '' : ` of ${config.maxIterations}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['status', statusText(shownStatus, loop.phase, paint)],
    ['why', loop.message === undefined ? undefined : `${loop.reason ?? ''}: ${oneLine(loop.message, 200)}`],
    ['iteration', `${iteration}${of}, ${stats.successfulIterations} with progress, ${stats.failedIterations} failed`],
    ['running', shortDuration(loop.runningMs)],
    ['checks', gate === undefined ? undefined : `${gate.result.verdict} after iteration ${gate.iteration}`],
    ['waits', wait === undefined ? undefined : `until ${wait.until} (${wait.cause})`],
    ['owner', owner === undefined ? undefined : `process ${owner.pid}${owner.alive ? '' : ', which is gone'}`],
    ['agent', agentPid === undefined ? undefined : agentText(agentPid, shownStatus)],
    ['task', oneLine(loop.task, 100)],
    ['state', path.relative(cwd, folder) || folder],
    ...nextStep(shownStatus, loop.id),
  ];
  return [
    `${paint.bold(loop.id)}`,
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${paint.dim(name.padEnd(9))} ${value}`])),
    '',
    paint.dim('  stop rules'),
    ...standings(loop).map((standing) => ruleLine(standing, paint)),
    ...problems.map((problem) => paint.warn(`  ! ${scrub(problem)}`)),
  ];
}

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

function nextStep(status: View['shownStatus'], id: string): readonly (readonly [string, string])[] {
  return status === 'paused' || status === 'crashed' ? [['next', `ralphd resume ${id}`]] : [];
}

function ruleLine({ rule, near, evidence }: RuleStanding, paint: Paint): string {
  const filled = near === null ? 0 : Math.round(near * 10);
  const bar = near === null ? 'unmeasured' : '█'.repeat(filled) + '·'.repeat(10 - filled);
  const colour = near !== null && near >= 1 ? paint.bad : near !== null && near >= 0.7 ? paint.warn : paint.dim;
  return `  ${rule.padEnd(18)} ${colour(bar)}  ${oneLine(evidence, 200)}`;
}
