import type { Tally } from './tally.ts';

const maxNames = 100_000;
const statuses: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>> = {
  pass: 'passed',
  fail: 'failed',
  skip: 'skipped',
};

/** Reads the events of `go test -json`, one per line. */
export function createGoEvents(tally: Tally) {
  const begun = new Set<string>();
  const failedIn = new Set<string>();
  const open = new Set<string>();

  const read = (line: string, at: number): void => {
    if (!line.includes('"Action":') || !line.includes('"Package":')) return;
    const event = parseEvent(line);
    if (event === undefined) return;
    const { action, place, test, durationMs } = event;
    if (action === 'run' || action === 'start') open.add(place);
    if (action === 'run' && begun.size < maxNames) begun.add(`${place}.${test}`);
    const status = statuses[action];
    if (status === undefined) return;
    if (test === undefined) {
      open.delete(place);
      const broke = status === 'failed' && !failedIn.delete(place);
      if (broke) tally.name('error', place);
      tally.add({ failed: broke ? 1 : 0 }, at);
      return;
    }
    // A test that prints a result line makes go report a test that never ran.
    if (!begun.delete(`${place}.${test}`) && begun.size < maxNames) return;
    if (status === 'failed') failedIn.add(place);
    tally.add({ [status]: 1 }, at);
    tally.name(status, `${place}.${test}`, { durationMs });
  };
  /** Whether a package has begun and not ended. */
  return { read, isOpen: () => open.size > 0 };
}

function parseEvent(line: string) {
  try {
    const event = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const { Action: action, Package: place, Test: test, Elapsed: elapsed } = event;
    if (typeof action !== 'string' || typeof place !== 'string') return undefined;
    const durationMs = typeof elapsed === 'number' ? Math.round(elapsed * 1_000) : undefined;
    return { action, place, test: typeof test === 'string' ? test : undefined, durationMs };
  } catch {
    return undefined;
  }
}
