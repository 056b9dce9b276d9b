import type { DataSchema } from '../../json-schema.ts';
import { loopIdSchema, schemaDialect, versionSchema } from './state.ts';

const text: DataSchema = { type: 'string' };
const count: DataSchema = { type: 'integer', minimum: 0 };
const instant: DataSchema = { type: 'string', format: 'date-time' };

const entry: DataSchema = {
  type: 'object',
  required: ['loop_id', 'status', 'iteration', 'started_at'],
  properties: {
    loop_id: loopIdSchema,
    status: { type: 'string', enum: ['running', 'paused', 'completing', 'crashed', 'waiting'] },
    iteration: count,
    task: text,
    task_summary: { type: 'string', maxLength: 200 },
    completion_criteria: text,
    started_at: instant,
    last_active: instant,
    pid: { type: 'integer', nullable: true },
    owner: text,
    working_directory: text,
    state_file: { type: 'string', pattern: '^\\.aiwg/ralph/loops/[^/]+/state\\.json$' },
    max_iterations: { type: 'integer', minimum: 1, default: 200 },
    timeout_minutes: { type: 'integer', nullable: true },
    priority: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
    tags: { type: 'array', items: text },
  },
};

/**
 * The list of active loops, `registry.json`. Two schemas are in use: this one has the fields of both, so that a
 * document of either is valid.
 */
export const registrySchema: DataSchema = {
  $schema: schemaDialect,
  title: 'AIWG agent loop registry, version 2',
  type: 'object',
  required: ['version', 'max_concurrent_loops', 'active_loops'],
  properties: {
    version: versionSchema,
    max_concurrent_loops: { type: 'integer', minimum: 1, default: 4 },
    // One schema allows four loops, the other a fifth that was forced.
    active_loops: { type: 'array', maxItems: 5, items: entry },
    registry_path: text,
    last_updated: instant,
    updated_at: instant,
    total_active: count,
    total_completed: count,
    total_aborted: count,
  },
};
