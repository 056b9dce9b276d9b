import type { DataSchema } from '../../json-schema.ts';
import type { Trajectory } from '../trajectory.ts';
import { loopIdSchema, schemaDialect } from './state.ts';

const text: DataSchema = { type: 'string' };
const count: DataSchema = { type: 'integer', minimum: 0 };
const number: DataSchema = { type: 'number' };
const instant: DataSchema = { type: 'string', format: 'date-time' };

const iteration: DataSchema = {
  type: 'object',
  required: ['loop_id', 'iteration_number', 'timestamp', 'quality_score'],
  properties: {
    loop_id: { ...loopIdSchema, nullable: true },
    iteration_number: { type: 'integer', minimum: 1 },
    timestamp: instant,
    quality_score: { type: 'number', minimum: 0, maximum: 100 },
    quality_delta: number,
    tokens_used: count,
    token_cost_usd: number,
    execution_time_ms: count,
    verification_status: { type: 'string', enum: ['passed', 'failed', 'skipped'] },
    output_snapshot_path: text,
    reflections: { type: 'array', items: text },
  },
};

const trajectories: readonly Trajectory[] = ['improving', 'stable', 'declining', 'fluctuating'];

/** The results of a loop, `analytics/analytics.json`. */
export const analyticsSchema: DataSchema = {
  $schema: schemaDialect,
  title: 'AIWG loop analytics, version 2',
  type: 'object',
  required: ['loop_id', 'iterations'],
  properties: {
    loop_id: loopIdSchema,
    task_description: text,
    start_time: instant,
    end_time: instant,
    iterations: { type: 'array', items: iteration },
    total_iterations: count,
    optimal_iteration: count,
    final_iteration: count,
    selected_iteration: count,
    selection_reason: text,
    total_tokens: count,
    total_cost_usd: number,
    total_time_ms: count,
    diminishing_returns_detected: { type: 'boolean' },
    diminishing_returns_iteration: count,
    quality_trajectory: { type: 'string', enum: trajectories },
  },
};
