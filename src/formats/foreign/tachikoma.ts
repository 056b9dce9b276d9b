import { LoopError } from '../../base/index.ts';
import type { StopReason } from '../../protocol/index.ts';
import type { TachikomaStatus } from '../tachikoma/document.ts';
import { readTachikomaDocument } from '../tachikoma/read-document.ts';
import { Fields, isMapping } from './fields.ts';
import type { ForeignLoop } from './foreign-loop.ts';

type Meaning = Pick<ForeignLoop, 'becomes'> & { readonly reason?: StopReason };

const meanings: Readonly<Record<TachikomaStatus, Meaning>> = {
  running: { becomes: 'paused' },
  paused: { becomes: 'paused' },
  rebooting: { becomes: 'paused' },
  stopped: { becomes: 'aborted', reason: 'user_abort' },
  completed: { becomes: 'completed', reason: 'completed' },
  error: { becomes: 'failed', reason: 'iteration_failures' },
};

/** A state document of Tachikoma. */
export function readTachikomaLoop(text: string, name: string): ForeignLoop {
  const reading = readTachikomaDocument(text, name);
  if (!reading.ok) throw new LoopError(reading.failure);
  const { document } = reading;
  const { core } = document;
  const fields = new Fields({ ...document }, name);
  const [coreFields, metrics] = [fields.group('core'), fields.group('metrics')];
  const { becomes, reason } = meanings[core.status];
  const promptPath = coreFields.text('prompt_path', 'promptPath');
  const iteration = coreFields.whole('iteration', 'iteration') ?? 0;
  const total = metrics.whole('total_iterations', 'totals.iterations') ?? 0;
  const lastActivity = coreFields.instant('last_activity', 'last activity');
  const id = fields.text('loop_id', 'loop id');
  coreFields.text('status', 'status');
  const custom = isMapping(document.custom) ? document.custom : {};
  return {
    from: 'tachikoma',
    id,
    status: core.status,
    becomes,
    reason,
    message: typeof custom['message'] === 'string' ? custom['message'] : undefined,
    iteration,
    finished: Math.min(total, iteration),
    task: promptPath ?? id ?? '',
    startedAt: coreFields.instant('started_at', 'startedAt'),
    endedAt: becomes === 'paused' ? undefined : lastActivity,
    workingDirectory: coreFields.text('working_dir', 'working directory'),
    settings: { promptPath },
    totals: {
      iterations: Math.min(total, iteration),
      successful: metrics.whole('successful_iterations', 'totals.successful'),
      failed: metrics.whole('failed_iterations', 'totals.failed'),
      reboots: metrics.whole('total_reboots', 'totals.reboots'),
      durationMs: metrics.amount('total_execution_ms', 'totals.durationMs'),
    },
    checks: [],
    learnings: [],
    files: fields.group('progress').texts('modified_files', 'files'),
    warnings: [],
    mapped: fields.mapped,
    kept: fields.kept,
    document: JSON.parse(text) as Readonly<Record<string, unknown>>,
  };
}
