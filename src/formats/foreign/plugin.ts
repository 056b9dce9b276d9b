import { Fields, type Mapping } from './fields.ts';
import type { ForeignLoop } from './foreign-loop.ts';

/**
 * The loop of a plugin inside an agent: a Markdown file whose front matter is the state, and whose text is the task.
 * An iteration under way is not finished, so that it runs again.
 */
export function readPluginLoop(
  { state, body }: { readonly state: Mapping; readonly body: string },
  name: string,
): ForeignLoop {
  const fields = new Fields(state, name);
  const isActive = fields.flag('active', 'status') ?? true;
  const iteration = fields.whole('iteration', 'iteration');
  if (iteration === undefined) throw fields.damage('"iteration" is missing');
  if (body.trim() === '') throw fields.damage('it has no task below the front matter');
  const finished = isActive ? Math.max(0, iteration - 1) : iteration;
  return {
    from: 'ralph-wiggum',
    status: isActive ? 'active' : 'inactive',
    becomes: isActive ? 'paused' : 'aborted',
    reason: isActive ? undefined : 'user_abort',
    iteration,
    finished,
    task: body.trim(),
    startedAt: fields.instant('started_at', 'startedAt'),
    settings: {
      maxIterations: fields.whole('max_iterations', 'maxIterations') ?? 0,
      promise: fields.text('completion_promise', 'completionPromise') ?? null,
    },
    totals: { iterations: finished },
    checks: [],
    learnings: [],
    files: [],
    warnings: [],
    mapped: [...fields.mapped, { from: '(text)', to: 'task' }],
    kept: fields.kept,
    document: { ...state, body },
  };
}
