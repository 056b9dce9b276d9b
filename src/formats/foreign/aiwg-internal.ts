import type { StopReason } from '../../protocol/index.ts';
import { Fields, isMapping, type Mapping } from './fields.ts';
import type { ForeignCheck, ForeignLoop } from './foreign-loop.ts';

type Meaning = Pick<ForeignLoop, 'becomes' | 'reason'>;

const paused: Meaning = { becomes: 'paused' };
const failed = (reason: StopReason): Meaning => ({ becomes: 'failed', reason });

/** The status words of AIWG's loops inside an agent. */
const meanings: Readonly<Record<string, Meaning>> = {
  running: paused,
  paused,
  success: { becomes: 'completed', reason: 'completed' },
  completed: { becomes: 'completed', reason: 'completed' },
  aborted: { becomes: 'aborted', reason: 'user_abort' },
  max_iterations: failed('max_iterations'),
  timeout: failed('max_time'),
  failed: failed('iteration_failures'),
};

/** A loop inside an agent: a file for each loop, or the single file of earlier versions. */
export function readAiwgInternal(document: Mapping, name: string): ForeignLoop {
  const fields = new Fields(document, name);
  const status = statusIn(fields);
  const meaning = meanings[status];
  if (meaning === undefined) throw fields.damage(`"status" is "${status}", which is no status of such a loop`);
  const started = fields.whole('currentIteration', 'iteration') ?? 0;
  const records = fields.mappings('iterations', 'completion checks and totals');
  const iteration = Math.max(started, records.length);
  const minutes = fields.amount('timeoutMinutes', 'maxTime');
  const spare = fields.amount('timeoutMs', 'maxTime');
  const finalResult = isMapping(document['finalResult']) ? fields.group('finalResult') : undefined;
  const durations = records.map((record) => numberIn(record, 'duration_ms'));
  return {
    from: 'aiwg-internal',
    id: fields.text('loopId', 'loop id'),
    status,
    ...meaning,
    message: finalResult?.text('reason', 'message'),
    iteration,
    finished: Math.min(records.length, iteration),
    task: fields.text('task', 'task') ?? '',
    criteria: fields.text('completion', 'verify'),
    startedAt: instantIn(fields, ['startTime', 'startTimestamp', 'startTimeMs'], 'startedAt'),
    endedAt: instantIn(fields, ['endTime', 'endTimestamp'], 'endedAt'),
    settings: {
      maxIterations: fields.whole('maxIterations', 'maxIterations'),
      maxTimeMs: minutes === undefined ? spare : minutes * 60_000,
    },
    totals: {
      iterations: records.length,
      successful: records.filter(({ verified }) => verified === true).length,
      durationMs: durations.reduce((sum, each) => sum + each, 0),
    },
    checks: records.flatMap(checkIn),
    learnings: [...records.flatMap(({ learnings }) => textsIn(learnings)), ...fields.texts('learnings', 'summaries')],
    files: [],
    warnings: [],
    mapped: fields.mapped,
    kept: fields.kept,
    document,
  };
}

function statusIn(fields: Fields): string {
  const active = fields.flag('active', 'status');
  const completed = fields.flag('completed', 'status');
  const word = fields.text('status', 'status');
  if (word !== undefined) return word;
  if (completed === true) return 'success';
  return active === true ? 'running' : 'aborted';
}

function instantIn(fields: Fields, names: readonly string[], to: string): string | undefined {
  const found = names.map((name) => fields.instant(name, to));
  return found.find((instant) => instant !== undefined);
}

/** What an iteration says about the completion criteria; nothing without a time. */
function checkIn(record: Mapping, index: number): readonly ForeignCheck[] {
  const { timestamp, result, verified } = record;
  const atMs = typeof timestamp === 'string' || typeof timestamp === 'number' ? new Date(timestamp).getTime() : NaN;
  if (Number.isNaN(atMs) || typeof verified !== 'boolean') return [];
  const output = typeof result === 'string' ? result : JSON.stringify(result ?? '');
  const iteration = numberIn(record, 'number') || index + 1;
  return [{ iteration, at: new Date(atMs).toISOString(), passed: verified, output }];
}

function numberIn(record: Mapping, name: string): number {
  const value = record[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : 0;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' && value !== '') return [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
