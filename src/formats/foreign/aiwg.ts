import { failures, LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import { type Status, type StopReason, statuses } from '../../protocol/index.ts';
import { aiwgProblems } from '../aiwg/validate.ts';
import { Fields, type Mapping } from './fields.ts';
import type { ForeignCheck, ForeignLoop } from './foreign-loop.ts';

/** "No limit" in a schema that cannot express it. */
const unlimited = 2_147_483_647;
/** The maximum that a document without one means. */
const defaultMaximum = 200;
const minuteMs = 60_000;

const reasons: Partial<Record<Status, StopReason>> = {
  completed: 'completed',
  failed: 'iteration_failures',
  aborted: 'user_abort',
  crashed: 'recovery_failed',
};

/** A state document of version 2. */
export function readAiwgState(document: Mapping, name: string): ForeignLoop {
  const [problem] = aiwgProblems(document, 'state', 'nullable').filter(({ pointer }) => pointer !== '/loop_id');
  if (problem !== undefined) {
    throw new LoopError(failures.documentDamaged(name, `${problem.pointer || 'the document'} ${problem.message}`));
  }
  const fields = new Fields(document, name);
  fields.text('version', 'version');
  const id = fields.text('loop_id', 'loop id');
  const word = fields.text('status', 'status') ?? '';
  const status = statuses.find((each) => each === word) ?? 'paused';
  const becomes = status === 'running' || status === 'completing' ? 'paused' : status;
  const iteration = fields.whole('iteration', 'iteration') ?? 0;
  const metrics = fields.group('metrics');
  const seconds = metrics.amount('total_duration_seconds', 'totals.durationMs');
  const finished = Math.min(metrics.whole('total_iterations', 'finished iterations') ?? iteration, iteration);
  metrics.amount('average_iteration_time_seconds', 'totals.durationMs');
  const error = fields.group('error_context');
  return {
    from: 'aiwg',
    id,
    status: word,
    becomes,
    reason: reasons[status],
    message: error.text('error_message', 'message'),
    iteration,
    finished,
    task: fields.text('task', 'task') ?? '',
    criteria: fields.text('completion_criteria', 'verify'),
    startedAt: fields.instant('started_at', 'startedAt'),
    ...endOf(fields, becomes),
    owner: fields.text('owner', 'owner'),
    pid: fields.whole('pid', 'owner process'),
    workingDirectory: fields.text('working_directory', 'working directory'),
    settings: settingsOf(fields.group('configuration')),
    totals: {
      iterations: finished,
      successful: metrics.whole('successful_iterations', 'totals.successful'),
      failed: metrics.whole('failed_iterations', 'totals.failed'),
      tokens: metrics.whole('total_tokens', 'totals.tokens'),
      costUsd: metrics.amount('total_cost_usd', 'totals.costUsd'),
      durationMs: seconds === undefined ? undefined : seconds * 1000,
    },
    checks: checksOf(fields),
    learnings: [],
    files: [],
    warnings: [],
    mapped: fields.mapped,
    kept: fields.kept,
    document,
  };
}

function endOf(fields: Fields, becomes: ForeignLoop['becomes']): { readonly endedAt: string | undefined } {
  const completed = fields.instant('completed_at', 'endedAt');
  const updated = fields.instant('last_updated', 'last activity');
  return { endedAt: isTerminal(becomes) ? (completed ?? updated) : undefined };
}

function settingsOf(fields: Fields): ForeignLoop['settings'] {
  const maximum = fields.whole('max_iterations', 'maxIterations') ?? defaultMaximum;
  const minutes = fields.whole('timeout_minutes', 'maxTime');
  return {
    maxIterations: maximum === unlimited ? 0 : maximum,
    maxTimeMs: minutes === undefined || minutes === 0 ? undefined : minutes * minuteMs,
    attended: fields.flag('interactive', 'attended'),
    autoTest: fields.flag('auto_test', 'autoTest'),
    checkpointInterval: Math.max(1, fields.whole('checkpoint_interval', 'checkpointInterval') ?? 1),
  };
}

function checksOf(document: Fields): readonly ForeignCheck[] {
  const fields = document.group('progress');
  const last = fields.group('last_completion_check');
  const newest = last.has('timestamp') ? toCheck(last) : undefined;
  const checks = fields
    .mappings('completion_checks', 'completion checks')
    .map((check) => toCheck(new Fields(check, 'completion_checks')));
  const known = checks.filter((check) => check !== undefined);
  const isNew =
    newest !== undefined && !known.some(({ at, iteration }) => at === newest.at && iteration === newest.iteration);
  return isNew ? [...known, newest] : known;
}

function toCheck(check: Fields): ForeignCheck | undefined {
  const at = check.instant('timestamp', 'completion checks');
  if (at === undefined) return undefined;
  return {
    iteration: check.whole('iteration', 'completion checks') ?? 0,
    at,
    passed: check.flag('passed', 'completion checks') ?? false,
    output: check.text('output', 'completion checks') ?? '',
  };
}
