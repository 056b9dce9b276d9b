import * as z from 'zod';
import { choice, group, inside, list, text } from './settings.ts';

const nameForm = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/;
const mostMetrics = 20;

/** What counts as progress. */
const progressStrategies = ['combined', 'file_changes', 'test_results', 'custom_markers', 'metric_velocity'] as const;

function weight() {
  const error = 'a number from 0.01 to 1';
  return z.number({ error }).min(0.01, { error }).max(1, { error });
}

const metricSchema = group({
  name: z
    .string({ error: 'a name' })
    .regex(nameForm, { error: 'a name of letters, digits, spaces, dots, dashes and underscores' })
    .describe('What the number is called.'),
  pattern: text().describe('Regular expression, held against each line; its first group is the number.'),
  file: inside()
    .optional()
    .describe('File that the checks write and that holds the number; what they print unless given.'),
  direction: choice(['up', 'down']).default('up').describe('Which way is better.'),
  weight: weight().default(0.2).describe("What getting better adds to an iteration's score."),
});

/** How progress is measured. */
export const progressSchema = group({
  strategy: choice(progressStrategies)
    .default('combined')
    .describe('Which signs of progress count: all of them, or those of one kind.'),
  metrics: list(metricSchema)
    .max(mostMetrics, { error: `a list of at most ${mostMetrics} metrics` })
    .refine((metrics) => new Set(metrics.map(({ name }) => name)).size === metrics.length, {
      error: 'a list of metrics that each have a name of their own',
    })
    .default([])
    .describe('Numbers of your own that count as progress when they get better than ever before.'),
});

/** One number of the user's own. */
export type MetricConfig = z.output<typeof metricSchema>;
/** Which signs of progress count. */
export type ProgressStrategy = (typeof progressStrategies)[number];
