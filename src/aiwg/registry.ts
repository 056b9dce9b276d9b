import { isLoopId } from '../base/index.ts';
import { isStale } from '../formats/index.ts';
import type { RegistryDocument, RegistryEntry } from './documents.ts';

/** How a loop is registered. */
export interface RegisterOptions {
  /** The present moment, RFC 3339. */
  readonly at: string;
  /** Register it even if the maximum number of loops is active. */
  readonly force?: boolean;
}

/**
 * The registry with one more loop.
 *
 * @throws RangeError for an id that is not valid or taken, and if the maximum number of loops is active.
 */
export function registerLoop(
  registry: RegistryDocument,
  entry: RegistryEntry,
  options: RegisterOptions,
): RegistryDocument {
  const { active_loops: active, max_concurrent_loops: maximum } = registry;
  const ids = active.map(({ loop_id }) => loop_id);
  if (!isLoopId(entry.loop_id)) throw new RangeError(`"${entry.loop_id}" is not a loop id.`);
  if (ids.includes(entry.loop_id)) throw new RangeError(`${entry.loop_id} is registered already.`);
  if (active.length >= maximum && options.force !== true) {
    throw new RangeError(`${active.length} loops are active, which is the maximum: ${ids.join(', ')}.`);
  }
  return withLoops(registry, [...active, { last_active: options.at, ...entry }], options.at);
}

/**
 * The registry without a loop.
 *
 * @throws RangeError if it is not registered.
 */
export function deregisterLoop(registry: RegistryDocument, loopId: string, at: string): RegistryDocument {
  assertListed(registry, loopId);
  return withLoops(
    registry,
    registry.active_loops.filter(({ loop_id }) => loop_id !== loopId),
    at,
  );
}

/**
 * The registry after a sign of life of a loop.
 *
 * @throws RangeError if it is not registered.
 */
export function recordHeartbeat(registry: RegistryDocument, loopId: string, at: string): RegistryDocument {
  assertListed(registry, loopId);
  const active = registry.active_loops.map((entry) =>
    entry.loop_id === loopId ? { ...entry, last_active: at } : entry,
  );
  return withLoops(registry, active, at);
}

/** The loops without a sign of life for five minutes whose process, as `isRunning` says, is gone. */
export function staleLoops(
  registry: RegistryDocument,
  at: string,
  isRunning: (pid: number) => boolean,
): readonly RegistryEntry[] {
  const signs = { nowMs: Date.parse(at), isRunning };
  const isActive = ({ status }: RegistryEntry) => status === 'running' || status === 'completing';
  return registry.active_loops.filter((entry) => isActive(entry) && isStale(entry, signs));
}

function assertListed({ active_loops }: RegistryDocument, loopId: string): void {
  if (!active_loops.some(({ loop_id }) => loop_id === loopId)) throw new RangeError(`${loopId} is not registered.`);
}

/** Both schemas have a field for the moment of the last change; one also counts the loops. */
function withLoops(registry: RegistryDocument, active: readonly RegistryEntry[], at: string): RegistryDocument {
  const counted = 'total_active' in registry ? { total_active: active.length } : {};
  const updated = 'updated_at' in registry ? { updated_at: at } : {};
  return { ...registry, ...counted, ...updated, last_updated: at, active_loops: active };
}
