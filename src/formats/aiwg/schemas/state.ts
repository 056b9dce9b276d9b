import { statuses } from '../../../protocol/index.ts';
import type { DataSchema } from '../../json-schema.ts';

/** The dialect in which the schemas are written. */
export const schemaDialect = 'https://json-schema.org/draft/2020-12/schema';

const text: DataSchema = { type: 'string' };
const integer: DataSchema = { type: 'integer' };
const instant: DataSchema = { type: 'string', format: 'date-time' };

/** The version of a document: any 2.x. */
export const versionSchema: DataSchema = { type: 'string', pattern: '^2\\.\\d+\\.\\d+$', default: '2.0.0' };

/** The id of a loop. */
export const loopIdSchema: DataSchema = { type: 'string', pattern: '^ralph-[a-z0-9-]+-[a-f0-9]{8}$' };

const completionCheck: DataSchema = {
  type: 'object',
  properties: { iteration: integer, timestamp: instant, passed: { type: 'boolean' }, output: text },
};

const configuration: DataSchema = {
  type: 'object',
  properties: {
    max_iterations: { type: 'integer', minimum: 1, default: 200 },
    timeout_minutes: { type: 'integer', nullable: true },
    interactive: { type: 'boolean', default: false },
    auto_test: { type: 'boolean', default: true },
    checkpoint_interval: { type: 'integer', default: 1 },
    execution_mode: { type: 'string', enum: ['strict', 'seeded', 'logged', 'default'], default: 'default' },
  },
};

const progress: DataSchema = {
  type: 'object',
  properties: {
    completion_checks: { type: 'array', items: completionCheck },
    last_completion_check: { ...completionCheck, nullable: true },
    estimated_completion: { type: 'string', nullable: true },
  },
};

const metrics: DataSchema = {
  type: 'object',
  properties: {
    total_iterations: integer,
    successful_iterations: integer,
    failed_iterations: integer,
    total_tokens: integer,
    total_cost_usd: { type: 'number' },
    total_duration_seconds: integer,
    average_iteration_time_seconds: { type: 'number' },
  },
};

const errorContext: DataSchema = {
  type: 'object',
  nullable: true,
  properties: {
    error_message: text,
    error_timestamp: instant,
    stack_trace: text,
    recovery_attempted: { type: 'boolean' },
  },
};

/** The state of one loop, `loops/{loop_id}/state.json`. */
export const stateSchema: DataSchema = {
  $schema: schemaDialect,
  title: 'AIWG agent loop state, version 2',
  type: 'object',
  required: ['version', 'loop_id', 'status', 'iteration'],
  properties: {
    version: versionSchema,
    loop_id: loopIdSchema,
    status: { type: 'string', enum: statuses },
    iteration: { type: 'integer', minimum: 0 },
    task: text,
    completion_criteria: text,
    started_at: instant,
    last_updated: instant,
    completed_at: { ...instant, nullable: true },
    owner: text,
    pid: { type: 'integer', nullable: true },
    working_directory: text,
    configuration,
    progress,
    metrics,
    last_checkpoint: { type: 'string', nullable: true },
    error_context: errorContext,
  },
};
