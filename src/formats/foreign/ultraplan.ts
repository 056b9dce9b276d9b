import { Fields, isMapping, type Mapping } from './fields.ts';
import type { ForeignLoop } from './foreign-loop.ts';

/** The loop of an ultraplan project; `marker` is the content of `execution-state.json`, if there is one. */
export function readUltraplan(document: Mapping, name: string, marker?: unknown): ForeignLoop {
  const fields = new Fields(document, name);
  const isActive = fields.flag('active', 'status') ?? false;
  const iteration = fields.whole('iteration', 'iteration');
  if (iteration === undefined) throw fields.damage('"iteration" is missing');
  const task = fields.text('prompt', 'task');
  if (task === undefined) throw fields.damage('"prompt" is missing');
  // Its number is that of the iteration under way.
  const finished = isActive ? Math.max(0, iteration - 1) : iteration;
  return {
    from: 'ultraplan',
    status: isActive ? 'active' : 'inactive',
    becomes: isActive ? 'paused' : 'aborted',
    reason: isActive ? undefined : 'user_abort',
    iteration,
    finished,
    task,
    startedAt: fields.instant('startedAt', 'startedAt'),
    pid: isActive ? pidIn(marker) : undefined,
    settings: {
      maxIterations: fields.whole('maxIterations', 'maxIterations'),
      promise: fields.text('completionPromise', 'completionPromise'),
    },
    totals: { iterations: finished },
    checks: [],
    learnings: [],
    files: [],
    warnings: [],
    mapped: fields.mapped,
    kept: fields.kept,
    document,
  };
}

/** The process in the marker of the mode, if a loop set it. */
function pidIn(marker: unknown): number | undefined {
  if (!isMapping(marker) || !isMapping(marker['metadata'])) return undefined;
  const { pid, metadata } = marker;
  return isMapping(metadata) && metadata['mode'] === 'ralph-loop' && typeof pid === 'number' ? pid : undefined;
}
