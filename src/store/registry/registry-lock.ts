import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { failures, LoopError } from '../../base/index.ts';
import { errorCode, look, lookSafely, quietly, reading, writing } from '../../files/index.ts';
import type { HeldLock, LockPort } from '../lock/lock-port.ts';
import { takeLease } from './lease.ts';
import type { RegistryPlace } from './registry-file.ts';

/** Each attempt costs the holder of the lock some of the processor, so that many who wait try less and less often. */
const firstPauseMs = 10;
const maxPauseMs = 200;

function nextPause(pauseMs: number): number {
  return Math.min(pauseMs * 1.5, maxPauseMs);
}

/** The registry, and what ensures that only one process writes it at a time. */
export interface LockedRegistry extends RegistryPlace {
  readonly lock: LockPort;
  readonly now: () => Date;
  /** This process, for tools that read a lock file. */
  readonly pid: number;
  /** Whether a process of this number runs here. */
  readonly isRunning: (pid: number) => boolean;
}

/**
 * Does something while no other process changes the registry or counts loops. Waits at most `patienceMs`; the state
 * folder must exist. The kernel frees the lock when the process dies.
 */
export function withRegistry<Result>(place: LockedRegistry, patienceMs: number, action: () => Result): Result {
  const deadline = performance.now() + patienceMs;
  using _held = hold(place, deadline);
  using _lease = isAiwgRoot(place.root) ? holdLease(place, deadline) : undefined;
  return action();
}

/**
 * The same for something that takes more than one turn of this process. It waits without blocking, so that
 * another task of this process that holds the registry can finish.
 */
export async function withRegistryHeld<Result>(
  place: LockedRegistry,
  patienceMs: number,
  action: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + patienceMs;
  const { root } = place;
  const own = path.join(root, 'registry.lock');
  using _held = await untilFree(own, deadline, () => tryHold(place, own));
  const foreign = path.join(root, 'registry.json.lock');
  using _lease = isAiwgRoot(root)
    ? await untilFree(foreign, deadline, () => takeLease(place, foreign))
    : { [Symbol.dispose]: () => {} };
  return await action();
}

async function untilFree(file: string, deadline: number, attempt: () => HeldLock | undefined): Promise<Disposable> {
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
    const held = attempt();
    if (held !== undefined) return { [Symbol.dispose]: () => quietly(() => held.release()) };
    if (performance.now() >= deadline) throw new LoopError(failures.registryBusy(file));
    await delay(pauseMs);
  }
}

function hold(place: LockedRegistry, deadline: number): Disposable {
  const file = path.join(place.root, 'registry.lock');
  const held = untilDeadline(file, deadline, () => tryHold(place, file));
  return { [Symbol.dispose]: () => held.release() };
}

function tryHold({ files, lock }: LockedRegistry, file: string): HeldLock | undefined {
  if (lookSafely(files, file, 'file') === undefined) {
    writing(file, () => {
      try {
        files.close(files.create(file));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
    });
  }
  const before = look(files, file);
  const held = reading(file, () => lock.tryHold(file));
  if (held && look(files, file)?.inode === before?.inode) return held;
  held?.release(); // the file was replaced meanwhile: another process may hold the new one
  return undefined;
}

/** AIWG's own tools respect only a lock file with a lease in it, so this makes them wait. */
function holdLease(place: LockedRegistry, deadline: number): Disposable {
  const file = path.join(place.root, 'registry.json.lock');
  const held = untilDeadline(file, deadline, () => takeLease(place, file));
  return { [Symbol.dispose]: () => quietly(() => held.release()) };
}

function untilDeadline<Found>(file: string, deadline: number, attempt: () => Found | undefined): Found {
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPause(pauseMs)) {
    const found = attempt();
    if (found !== undefined) return found;
    if (performance.now() >= deadline) throw new LoopError(failures.registryBusy(file));
    // The store is synchronous, and the lock is held for milliseconds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}

/** Whether a state folder is the one that AIWG's tools use, so that their loops may be in it too. */
export function isAiwgRoot(root: string): boolean {
  return path.basename(root) === 'ralph' && path.basename(path.dirname(root)) === '.aiwg';
}
