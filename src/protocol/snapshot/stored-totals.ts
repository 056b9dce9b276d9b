import * as z from 'zod';
import { count } from '../facts/shapes.ts';
import { limits, type ReportedTotal, type UnreportedRuns } from '../limits.ts';

const counter = count.default(0);

/** Counters of a loop. */
export const storedStats = z
  .object({
    iterations: counter,
    successfulIterations: counter,
    failedIterations: counter,
    timedOutIterations: counter,
    skippedIterations: counter,
    reboots: counter,
    totalExecutionMs: z.number().default(0),
    testFailureStreak: counter,
    noProgressCount: counter,
    iterationFailureStreak: counter,
    filesModified: counter,
    filesCreated: counter,
    filesDeleted: counter,
    testsRun: counter,
    testsPassed: counter,
    testsFailed: counter,
  })
  .prefault({});

const amount = z.number().default(0);

/** Totals of everything that has a limit and that the agent reports. */
const totals = Object.fromEntries(
  limits.flatMap(({ reported, unit }) => (reported ? [[reported.total, unit === 'money' ? amount : counter]] : [])),
) as Readonly<Record<ReportedTotal, typeof counter>>;

/** Runs that did not report them; snapshots of the first releases did not count all of these. */
const unreported = Object.fromEntries(
  limits.flatMap(({ reported }) => (reported ? [[reported.unreported, count.exactOptional()]] : [])),
) as Readonly<Record<UnreportedRuns, z.ZodExactOptional<typeof count>>>;

/** What the agent reported. */
export const storedSpent = z.object({ runs: counter, ...totals, ...unreported }).prefault({});

/** What the loop changed, as far as limits count it; snapshots of the first releases do not have it. */
export const storedChanged = z
  .object({
    files: z.array(z.string()).default([]),
    unlisted: counter,
    lines: counter,
    uncountedLines: counter,
    uncountedFiles: counter,
  })
  .prefault({});
