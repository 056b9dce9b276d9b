import { createHash } from 'node:crypto';
import { boundText, failures, LoopError } from '../base/index.ts';
import type { GatePlan, ProtectedBase } from '../gate/index.ts';
import {
  encodeConfig,
  type Fact,
  type FactData,
  type LoopConfig,
  parseTraceparent,
  traceparentOf,
  type Worktree,
} from '../protocol/index.ts';
import { userName } from './user-name.ts';

/** How much of the task is stored for display; the full text is in the prompt of each attempt. */
const maxTaskLength = 20_000;

/** The maximum size of the first fact as JSON, below that of a journal line. */
const maxStartedBytes = 1_000_000;

/** What the first fact of a loop says besides its settings. */
export interface Identity {
  readonly loopId: string;
  readonly uuid: string;
  readonly task: string;
  readonly gate: GatePlan;
  readonly base: ProtectedBase | undefined;
  /** The current commit. */
  readonly head: string | undefined;
  readonly workingDirectory: string;
  readonly worktree: Worktree | undefined;
  readonly resumedFrom: string | undefined;
  readonly chosen: readonly string[] | undefined;
  /** Who started it; the current user by default. */
  readonly startedBy?: string | undefined;
  /** What names the trace in which it is started, if anything does. */
  readonly traceparent?: string | undefined;
}

/** The first fact of a loop. */
export function startedFact(config: LoopConfig, identity: Identity): Fact {
  const { loopId, uuid, task, gate, base, head, workingDirectory, worktree, resumedFrom, chosen } = identity;
  const { startedBy = userName() ?? 'unknown', traceparent = '' } = identity;
  const outer = parseTraceparent(traceparent);
  const encoded = encodeConfig(config);
  assertRecordable(encoded);
  return {
    type: 'loop.started',
    data: {
      loopId,
      uuid,
      task: boundTask(task),
      agent: config.agent,
      workingDirectory,
      startedBy,
      config: encoded,
      configHash: hashOf(encoded),
      ...gate.data,
      ...(base === undefined ? {} : { base }),
      ...(head === undefined ? {} : { head }),
      ...(worktree === undefined ? {} : { worktree }),
      ...(resumedFrom === undefined ? {} : { resumedFrom }),
      ...(chosen === undefined ? {} : { chosen: [...chosen] }),
      ...(outer === undefined ? {} : { traceparent: traceparentOf(outer) }),
      ...(gate.warnings.length === 0 ? {} : { warnings: [...gate.warnings] }),
    },
  };
}

/** Refuses settings that the first fact cannot hold, before anything is created. */
function assertRecordable(encoded: ReturnType<typeof encodeConfig>): void {
  const bytes = jsonBytes(encoded);
  if (bytes <= maxStartedBytes) return;
  const sizes = Object.entries(encoded).map(([setting, value]) => ({ setting, bytes: jsonBytes(value) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  throw new LoopError(failures.configTooLarge(bytes, maxStartedBytes, largest?.setting ?? ''));
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** The fact with which a loop says what it continues, if it does. */
export function continuedFact(data: FactData<'loop.continued'> | undefined): readonly Fact[] {
  return data === undefined ? [] : [{ type: 'loop.continued', data }];
}

/** The part of a task that is stored for display. */
export function boundTask(task: string): string {
  return boundText(task, maxTaskLength);
}

/** A hash that changes with the configuration. */
export function hashOf(encoded: unknown): string {
  return createHash('sha256').update(JSON.stringify(encoded)).digest('hex');
}
