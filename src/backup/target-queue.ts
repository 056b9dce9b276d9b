import { LoopError } from '../base/index.ts';

/** The time as a queue needs it. */
export interface QueueClock {
  nowMs(): number;
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}

/** What a queue does. */
export interface QueuePorts {
  readonly clock: QueueClock;
  /** Makes one backup of the loop as it is when this is called. */
  push(signal: AbortSignal): Promise<void>;
  /** Called for each attempt that failed. */
  failed(error: unknown): void;
}

/** Backs up to one target, one backup at a time; what is wanted meanwhile becomes one backup. Nobody waits for it. */
export interface TargetQueue {
  /** Notes that the loop has changed. */
  want(): void;
  /** Waits for what is under way, at most `graceMs`; true if everything is backed up. */
  settle(graceMs: number): Promise<boolean>;
}

const firstDelayMs = 5_000;
const longestDelayMs = 300_000;

/** Creates the queue of a target. */
export function createTargetQueue(ports: QueuePorts): TargetQueue {
  return new Queue(ports);
}

class Queue implements TargetQueue {
  readonly #ports: QueuePorts;
  readonly #stop = new AbortController();
  readonly #hurry = new AbortController();
  #isWanted = false;
  #isOver = false;
  #working: Promise<void> | undefined;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
  }

  want(): void {
    this.#isWanted = true;
    if (this.#working !== undefined || this.#isOver) return;
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async settle(graceMs: number): Promise<boolean> {
    const { clock } = this.#ports;
    this.#hurry.abort();
    const grace = new AbortController();
    await Promise.race([this.#working ?? Promise.resolve(), clock.waitUntil(clock.nowMs() + graceMs, grace.signal)]);
    grace.abort();
    this.#stop.abort();
    this.#isOver = true;
    await this.#working;
    return !this.#isWanted;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; this.#isWanted && !signal.aborted; ) {
      // What is written together with the cause of this backup belongs to it.
      await new Promise((resolve) => setImmediate(resolve));
      this.#isWanted = false;
      try {
        await this.#ports.push(signal);
        failures = 0;
      } catch (error) {
        this.#isWanted = true;
        failures += 1;
        this.#ports.failed(error);
        if (hasDiverged(error)) this.#isOver = true;
        if (this.#isOver || this.#hurry.signal.aborted) return;
        await this.#pause(failures);
      }
    }
  }

  async #pause(failures: number): Promise<void> {
    const { clock } = this.#ports;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 3 ** (failures - 1));
    await clock.waitUntil(clock.nowMs() + delayMs, AbortSignal.any([this.#stop.signal, this.#hurry.signal]));
  }
}

/** Whether another machine continued the loop: then no further attempt helps. */
export function hasDiverged(error: unknown): boolean {
  return error instanceof LoopError && error.failure.code === 'BACKUP_DIVERGED';
}
