import * as z from 'zod';
import type { Loop } from '../../core/index.ts';
import type { Status } from '../../protocol/index.ts';
import { aiwgVersion, configurationOf, criteriaOf, given } from './document.ts';

/** How many loops may be active at once by default. */
export const maxConcurrentLoops = 4;

const maxSummaryLength = 200;

/** One loop that has not ended, for the registry. */
export interface RegistryRow {
  readonly loop: Loop;
  /** The public status: crashed for a loop that has lost its owner. */
  readonly shownStatus: Status | 'idle';
  /** The process that runs it, if any. */
  readonly pid?: number;
  /** Where its snapshot is, relative to the project. */
  readonly stateFile: string;
}

/** A loop that has ended: the registry only counts it, and knows what it continued. */
export interface EndedLoop {
  readonly id: string;
  readonly status: Loop['status'];
  readonly resumedFrom?: string | undefined;
}

/** All loops of a place. */
export interface RegistryLoops {
  readonly live: readonly RegistryRow[];
  readonly ended: readonly EndedLoop[];
}

/** When and where a registry is written. */
export interface RegistryDetails {
  readonly now: string;
  readonly registryPath: string;
}

/** The registry of all loops: the union of the two schemas that AIWG tools read, so that each finds its fields. */
export function toRegistryDocument(
  { live, ended }: RegistryLoops,
  { now, registryPath }: RegistryDetails,
): Record<string, unknown> {
  const count = (status: Status) => ended.filter((loop) => loop.status === status).length;
  const origins = [...live.map(({ loop }) => ({ id: loop.id, ...loop.origin })), ...ended];
  return {
    version: aiwgVersion,
    max_concurrent_loops: maxConcurrentLoops,
    registry_path: registryPath,
    last_updated: now,
    updated_at: now,
    total_active: live.length,
    total_completed: count('completed'),
    total_aborted: count('aborted'),
    active_loops: live.map((row) => toRegistryEntry(row, now)),
    ralphd: {
      format: 1,
      resumed_from: Object.fromEntries(origins.map(({ id, resumedFrom }) => [id, resumedFrom ?? null])),
    },
  };
}

/** One entry of the registry. */
function toRegistryEntry({ loop, shownStatus, pid, stateFile }: RegistryRow, now: string): Record<string, unknown> {
  const configuration = configurationOf(loop);
  return {
    loop_id: loop.id,
    status: shownStatus,
    iteration: loop.position.iteration,
    task: loop.origin.task,
    task_summary: summaryOf(loop.origin.task),
    ...given('completion_criteria', criteriaOf(loop)),
    started_at: loop.origin.startedAt,
    last_active: pid === undefined ? (loop.journal.lastActivityAt ?? loop.origin.startedAt) : now,
    ...given('pid', pid),
    owner: loop.origin.startedBy,
    working_directory: loop.origin.workingDirectory,
    state_file: stateFile,
    max_iterations: configuration['max_iterations'],
    ...given('timeout_minutes', configuration['timeout_minutes']),
    priority: 'medium',
    tags: [],
  };
}

function summaryOf(task: string): string {
  const line = task.replace(/\s+/gu, ' ').trim();
  return line.length <= maxSummaryLength ? line : `${line.slice(0, maxSummaryLength - 1)}…`;
}

const ownRegistry = z.looseObject({ ralphd: z.looseObject({ format: z.int().min(1) }) });

/** Whether ralphd wrote a registry. */
export function isOwnRegistry(document: unknown): boolean {
  return ownRegistry.safeParse(document).success;
}
