import { expect, test } from 'vitest';
import { edit, idleLoop } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { tagsOfCheckpoint, toCheckpointDocument } from './checkpoint.ts';

const loop = edit(idleLoop(configSchema.parse({ maxIterations: 8 })), {
  id: 'ralph-x-00000001',
  origin: { uuid: '00000001-0000', agent: 'command' },
  status: 'running',
  position: { iteration: 2, finished: 2 },
});
const details = {
  createdAt: '2026-11-16T10:00:00.000Z',
  trigger: 'iteration',
  tags: ['before-merge'],
  bytes: 9,
} as const;

test('B092: a checkpoint has every field of its schema, and the whole snapshot', () => {
  expect(toCheckpointDocument(loop, { loop_id: loop.id }, details)).toEqual({
    checkpoint_id: 'ralph-x-00000001-iteration-002',
    workflow_id: '00000001-0000',
    loop_id: 'ralph-x-00000001',
    workflow_type: 'ralph_loop',
    created_at: '2026-11-16T10:00:00.000Z',
    trigger: 'iteration',
    state: {
      phase: 'starting',
      step: 'running',
      progress: { total_steps: 8, completed_steps: 2, percentage: 25 },
      iteration: { current: 2, max: 8, failures: 0 },
      artifacts: [],
      variables: {},
      agent_state: { agent: 'command', hand_off: false },
    },
    execution_config: {
      agent: 'command',
      max_iterations: 8,
      interactive: false,
      auto_test: true,
      checkpoint_interval: 1,
      execution_mode: 'default',
    },
    metadata: {
      size_bytes: 9,
      compression: 'gzip',
      retention_days: 30,
      tags: ['before-merge'],
      schema_version: '2.0',
    },
    ralphd: { format: 1, snapshot: { loop_id: 'ralph-x-00000001' } },
  });
});

test('an unlimited loop has no share that is done', () => {
  const unlimited = { ...loop, config: { ...loop.config, maxIterations: 0 } };
  const { state } = toCheckpointDocument(unlimited, {}, details);
  expect(state).toMatchObject({ progress: { percentage: 0 }, iteration: { max: 2_147_483_647 } });
});

test('the tags of a checkpoint are read back, and nothing else is treated as tags', () => {
  expect(tagsOfCheckpoint(toCheckpointDocument(loop, {}, details))).toEqual(['before-merge']);
  for (const other of [null, 'x', {}, { metadata: { tags: 'x' } }, { metadata: null }]) {
    expect(tagsOfCheckpoint(other)).toEqual([]);
  }
});
