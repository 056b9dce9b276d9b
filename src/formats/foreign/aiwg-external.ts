import { failures, LoopError } from '../../base/index.ts';
import { isTerminal } from '../../core/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import { Fields, isMapping, type Mapping } from './fields.ts';
import type { ForeignLoop } from './foreign-loop.ts';

type Meaning = Pick<ForeignLoop, 'becomes' | 'reason'>;

const paused: Meaning = { becomes: 'paused' };
const completed: Meaning = { becomes: 'completed', reason: 'completed' };
const failed = (reason: StopReason): Meaning => ({ becomes: 'failed', reason });

/** The status words of AIWG's loops around an agent, in all versions. */
const meanings: Readonly<Record<string, Meaning>> = {
  pending: paused,
  running: paused,
  recovering: paused,
  interrupted: paused,
  paused,
  completed,
  succeeded: completed,
  aborted: { becomes: 'aborted', reason: 'user_abort' },
  failed: failed('iteration_failures'),
  limit_reached: failed('max_iterations'),
  budget_exhausted: failed('max_cost'),
  plateau: failed('no_progress'),
};

/** A loop around an agent: `session-state.json`, or one file for each loop in later versions. */
export function readAiwgExternal(document: Mapping, name: string): ForeignLoop {
  const fields = new Fields(document, name);
  const version = fields.text('version', 'version');
  if (version !== undefined && !version.startsWith('1.')) {
    throw new LoopError(failures.documentNewerVersion(name, '1.x', version));
  }
  const status = fields.text('status', 'status') ?? 'running';
  const meaning = meanings[status];
  if (meaning === undefined) throw fields.damage(`"status" is "${status}", which is no status of such a loop`);
  const current = fields.whole('currentIteration', 'iteration') ?? fields.whole('iteration', 'iteration') ?? 0;
  const records = fields.mappings('iterations', 'totals');
  const iteration = Math.max(current, records.length);
  const isOver = isTerminal(meaning.becomes);
  const updated = fields.instant('lastUpdate', 'last activity');
  const config = isMapping(document['config']) ? fields.group('config') : undefined;
  return {
    from: 'aiwg-external',
    id: fields.text('loopId', 'loop id'),
    status,
    ...meaning,
    message: lastError(records),
    iteration,
    finished:
      isOver || records.length > 0 ? Math.min(records.length || iteration, iteration) : Math.max(0, iteration - 1),
    task: fields.text('objective', 'task') ?? '',
    criteria: fields.text('completionCriteria', 'verify'),
    startedAt: fields.instant('startTime', 'startedAt') ?? fields.instant('startedAt', 'startedAt'),
    endedAt: isOver ? updated : undefined,
    pid: fields.whole('currentPid', 'owner process'),
    workingDirectory: config?.text('workingDir', 'working directory'),
    settings: { maxIterations: fields.whole('maxIterations', 'maxIterations') },
    totals: {
      iterations: records.length,
      successful: records.filter((record) => hasStatus(record, ['completed', 'success', 'succeeded'])).length,
      failed: records.filter((record) => hasStatus(record, ['failed', 'error', 'crashed', 'timeout'])).length,
      durationMs: records.reduce((sum, { duration }) => sum + (typeof duration === 'number' ? duration : 0), 0),
    },
    checks: [],
    learnings: [...fields.texts('accumulatedLearnings', 'summaries'), ...fields.texts('learnings', 'summaries')],
    files: fields.texts('filesModified', 'files'),
    warnings: [],
    mapped: fields.mapped,
    kept: fields.kept,
    document,
  };
}

function hasStatus({ status }: Mapping, words: readonly string[]): boolean {
  return typeof status === 'string' && words.includes(status);
}

function lastError(records: readonly Mapping[]): string | undefined {
  const error = records.at(-1)?.['error'];
  if (typeof error === 'string') return error;
  return isMapping(error) && typeof error['message'] === 'string' ? error['message'] : undefined;
}
