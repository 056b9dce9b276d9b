import * as z from 'zod';
import { choice, group, inside, list, text } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const maxMetrics = 20;

/** What counts as progress. */
const progressStrategies = ['combined', 'file_changes', 'test_results', 'custom_markers', 'metric_velocity'] as const;

function weight() {
  const error = 'a number from 0.01 to 1';
  return z.number({ error }).min(0.01, { error }).max(1, { error });
}

/** One custom metric. */
export const metricSchema = group({
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, spaces, dots, dashes and underscores' })
    .describe('Name of the metric.'),
  pattern: text().describe('Regular expression applied to each line; its first capture group is the number.'),
  file: inside()
    .optional()
    .describe('File written by the checks that contains the number; by default their output is searched.'),
  direction: choice(['up', 'down']).default('up').describe('Whether higher or lower values are better.'),
  weight: weight().default(0.2).describe("How much an improvement adds to an iteration's score."),
});

/** How progress is measured. */
export const progressSchema = group({
  strategy: choice(progressStrategies)
    .default('combined')
    .describe('Which signs of progress count: all of them, or one kind only.'),
  metrics: list(metricSchema)
    .max(maxMetrics, { error: `a list of at most ${maxMetrics} metrics` })
    .refine((metrics) => new Set(metrics.map(({ name }) => name)).size === metrics.length, {
      error: 'a list of metrics with unique names',
    })
    .default([])
    .describe('Custom metrics; a new best value counts as progress.'),
});

/** Which signs of progress count. */
export type ProgressStrategy = (typeof progressStrategies)[number];
