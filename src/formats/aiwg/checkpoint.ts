import type { Loop } from '../../core/index.ts';
import { configurationOf, given } from './document.ts';

/** What a checkpoint contains besides the loop itself. */
export interface CheckpointDetails {
  readonly createdAt: string;
  readonly trigger: 'iteration' | 'phase_boundary' | 'manual';
  readonly tags: readonly string[];
  /** The size of the snapshot inside. */
  readonly bytes: number;
}

const retentionDays = 30;

/** An AIWG checkpoint of a loop with the full snapshot in its `ralphd` object, so that the loop can be rebuilt from it. */
export function toCheckpointDocument(
  loop: Loop,
  snapshot: Readonly<Record<string, unknown>>,
  { createdAt, trigger, tags, bytes }: CheckpointDetails,
): Record<string, unknown> {
  const max = configurationOf(loop)['max_iterations'];
  return {
    checkpoint_id: `${loop.id}-iteration-${String(loop.position.finished).padStart(3, '0')}`,
    workflow_id: loop.origin.uuid,
    loop_id: loop.id,
    workflow_type: 'ralph_loop',
    created_at: createdAt,
    trigger,
    state: {
      phase: loop.phase,
      step: loop.position.current?.stage ?? loop.status,
      progress: {
        total_steps: max,
        completed_steps: loop.position.finished,
        percentage: loop.config.maxIterations === 0 ? 0 : Math.min(100, (100 * loop.position.finished) / Number(max)),
      },
      iteration: { current: loop.position.iteration, max, failures: loop.totals.stats.failedIterations },
      artifacts: [],
      variables: {},
      agent_state: {
        agent: loop.origin.agent,
        ...given('session_id', loop.session.current?.id),
        ...given('context_percent', loop.session.current?.contextPercent),
        hand_off: loop.session.handOff,
      },
    },
    execution_config: { agent: loop.origin.agent, ...given('model', loop.config.model), ...configurationOf(loop) },
    metadata: {
      size_bytes: bytes,
      compression: 'gzip',
      retention_days: retentionDays,
      tags: [...tags],
      schema_version: '2.0',
    },
    ralphd: { format: 1, snapshot },
  };
}

/** The tags of a checkpoint; empty if the document is not one. */
export function tagsOfCheckpoint(document: unknown): readonly string[] {
  const tags = field(field(document, 'metadata'), 'tags');
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
