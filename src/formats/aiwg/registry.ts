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
  /** Whether nothing about its task may be written in clear text. */
  readonly isEncrypted?: boolean;
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
  /** Loops that cannot be read without their key: their entries stay as their owners wrote them. */
  readonly locked?: readonly string[];
}

/** When and where a registry is written. */
export interface RegistryDetails {
  readonly now: string;
  readonly registryPath: string;
  /** The registry that is replaced: loops of other programs stay in it, as does everything that ralphd does not know. */
  readonly before?: Readonly<Record<string, unknown>>;
}

/** The registry of all loops: the union of the two schemas that AIWG tools read, so that each finds its fields. */
export function toRegistryDocument(
  { live, ended, locked = [] }: RegistryLoops,
  { now, registryPath, before = {} }: RegistryDetails,
): Record<string, unknown> {
  const own = new Set([...live.map(({ loop }) => loop.id), ...ended.map(({ id }) => id)]);
  const others = othersIn(before, own, new Set(locked));
  const count = (status: Status) => ended.filter((loop) => loop.status === status).length;
  const origins = [...live.map(({ loop }) => ({ id: loop.id, ...loop.origin })), ...ended];
  return {
    ...before,
    version: aiwgVersion,
    max_concurrent_loops: maxConcurrentLoops,
    registry_path: registryPath,
    last_updated: now,
    updated_at: now,
    total_active: live.length + others.loops.length,
    total_completed: count('completed') + others.completed,
    total_aborted: count('aborted') + others.aborted,
    active_loops: [...others.loops, ...live.map((row) => toRegistryEntry(row, now))],
    ralphd: {
      format: 1,
      ...(others.completed + others.aborted === 0
        ? {}
        : { others: { completed: others.completed, aborted: others.aborted } }),
      resumed_from: Object.fromEntries(origins.map(({ id, resumedFrom }) => [id, resumedFrom ?? null])),
    },
  };
}

/** What a registry says about the loops of other programs. */
interface OtherLoops {
  readonly loops: readonly unknown[];
  readonly completed: number;
  readonly aborted: number;
}

const total = z.int().min(0).catch(0);
const someRegistry = z.object({
  active_loops: z.array(z.unknown()).catch([]),
  total_completed: total,
  total_aborted: total,
  ralphd: z
    .looseObject({
      resumed_from: z.record(z.string(), z.unknown()).optional().catch(undefined),
      others: z.object({ completed: total, aborted: total }).catch({ completed: 0, aborted: 0 }),
    })
    .optional()
    .catch(undefined),
});

/** A registry of another program counts its own loops; one of ralphd remembers what that one counted. */
function othersIn(
  before: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string>,
  locked: ReadonlySet<string> = new Set(),
): OtherLoops {
  const { active_loops, total_completed, total_aborted, ralphd } = someRegistry.parse(before);
  // The first releases did not list their loops; then every entry is one of them.
  const known = ralphd?.resumed_from;
  const isListed = (id: string) => (known === undefined ? ralphd !== undefined : Object.hasOwn(known, id));
  const isOurs = (id: unknown) => typeof id !== 'string' || own.has(id) || (isListed(id) && !locked.has(id));
  const loops = active_loops.filter(
    (entry) => !isOurs(z.looseObject({ loop_id: z.unknown() }).safeParse(entry).data?.loop_id),
  );
  return { loops, ...(ralphd?.others ?? { completed: total_completed, aborted: total_aborted }) };
}

const otherEntry = z.object({
  loop_id: z.string(),
  status: z.string(),
  started_at: z.string().optional().catch(undefined),
  last_active: z.string().optional().catch(undefined),
  pid: z.number().nullish().catch(undefined),
});

/** A loop of another program. */
export type OtherLoop = z.output<typeof otherEntry>;

/** What decides whether a loop is stale. */
export interface SignsOfLife {
  readonly nowMs: number;
  readonly isRunning: (pid: number) => boolean;
}

/** How old the latest sign of life of a stale loop is. */
const staleMs = 300_000;

/** Whether a loop has shown no sign of life for five minutes, and its process is gone. */
export function isStale(
  { last_active, started_at, pid }: Pick<OtherLoop, 'last_active' | 'started_at' | 'pid'>,
  { nowMs, isRunning }: SignsOfLife,
): boolean {
  const isRecent = nowMs - Date.parse(last_active ?? started_at ?? '') <= staleMs;
  return !isRecent && (typeof pid !== 'number' || !isRunning(pid));
}

/** The loops of other programs that a registry lists and that are at work: neither paused nor stale. */
export function othersAtWork(
  registry: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string>,
  signs: SignsOfLife,
): readonly OtherLoop[] {
  const listed = othersIn(registry, own).loops.flatMap((entry) => otherEntry.safeParse(entry).data ?? []);
  const working = listed.filter((each) => !['paused', 'crashed'].includes(each.status) && !isStale(each, signs));
  return [...new Map(working.map((each) => [each.loop_id, each])).values()];
}

/** One entry of the registry. */
function toRegistryEntry(
  { loop, shownStatus, pid, stateFile, isEncrypted = false }: RegistryRow,
  now: string,
): Record<string, unknown> {
  const task = isEncrypted ? 'encrypted' : loop.origin.task;
  const configuration = configurationOf(loop);
  return {
    loop_id: loop.id,
    status: shownStatus,
    iteration: loop.position.iteration,
    task,
    task_summary: summaryOf(task),
    ...(isEncrypted ? {} : given('completion_criteria', criteriaOf(loop))),
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
