import type { ProcessTree } from './tree.ts';

/** Where signs of life other than output come from. */
export interface PulseSources {
  readonly tree: ProcessTree;
  /** The idle limit that they serve; without one none are needed. */
  readonly idleMs?: number | undefined;
  /** Anything that changes when the agent works, such as the state of the work tree. Read now and then. */
  readonly signOfLife?: (() => Promise<string>) | undefined;
  readonly now: () => number;
}

// A program that only waits still uses a little (an agent with its own server, 1.6 %): less than this share of one
// processor is not work. Processor time is counted in ticks of 10 ms, so a few of them prove nothing.
const workingShare = 0.05;
const minWorkMs = 50;
const windowsPerLimit = 10;

/** Returns a function whose value changes with every sign of life. */
export function createPulse({ tree, idleMs = Infinity, signOfLife, now }: PulseSources): () => number {
  const windowMs = idleMs / windowsPerLimit;
  let beats = 0;
  let window = { since: now(), cpuMs: 0 };
  let asking = false;
  let isNew = true;
  let lastSign: string | undefined;

  const ask = async () => {
    if (asking || signOfLife === undefined) return;
    asking = true;
    try {
      const sign = await signOfLife();
      if (lastSign !== undefined && sign !== lastSign) beats += 1;
      lastSign = sign;
    } catch {
      // A failure to read it is not a sign of life.
    } finally {
      asking = false;
    }
  };
  void ask();

  return () => {
    // At first there is nothing to compare with: what an agent starts is looked for when it has had time to start it.
    if (isNew) {
      isNew = false;
      return beats;
    }
    tree.refresh();
    const elapsedMs = now() - window.since;
    if (elapsedMs < windowMs) return beats;
    const cpuMs = tree.cpuMs();
    if (cpuMs - window.cpuMs >= Math.max(elapsedMs * workingShare, minWorkMs)) beats += 1;
    window = { since: now(), cpuMs };
    void ask();
    return beats;
  };
}
