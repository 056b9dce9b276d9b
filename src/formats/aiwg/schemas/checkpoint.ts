import type { DataSchema } from '../../json-schema.ts';
import { loopIdSchema, schemaDialect } from './state.ts';

const text: DataSchema = { type: 'string' };
const count: DataSchema = { type: 'integer', minimum: 0 };

const state: DataSchema = {
  type: 'object',
  properties: {
    phase: text,
    step: text,
    progress: {
      type: 'object',
      properties: {
        total_steps: count,
        completed_steps: count,
        percentage: { type: 'number', minimum: 0, maximum: 100 },
      },
    },
    iteration: { type: 'object', properties: { current: count, max: count, failures: count } },
    artifacts: {
      type: 'array',
      items: { type: 'object', properties: { path: text, hash: text, status: text } },
    },
    variables: { type: 'object' },
    agent_state: { type: 'object' },
  },
};

/** A checkpoint, the content of `checkpoints/iteration-NNN.json.gz`. */
export const checkpointSchema: DataSchema = {
  $schema: schemaDialect,
  title: 'AIWG checkpoint, version 2',
  type: 'object',
  required: ['checkpoint_id', 'workflow_id', 'workflow_type', 'created_at', 'state'],
  properties: {
    checkpoint_id: text,
    workflow_id: text,
    loop_id: { ...loopIdSchema, nullable: true },
    workflow_type: text,
    created_at: { type: 'string', format: 'date-time' },
    trigger: {
      type: 'string',
      enum: ['manual', 'automatic', 'phase_boundary', 'iteration', 'pre_risky_op', 'error_recovery'],
    },
    state,
    execution_config: { type: 'object' },
    metadata: {
      type: 'object',
      properties: {
        size_bytes: count,
        compression: text,
        retention_days: { type: 'integer', minimum: 0, default: 30 },
        tags: { type: 'array', items: text },
        schema_version: text,
      },
    },
  },
};
