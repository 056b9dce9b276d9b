import { expect, test } from 'vitest';
import { edit, idleLoop } from '../core/index.ts';
import { configSchema, type Fact } from '../protocol/index.ts';
import type { Effect } from './effect.ts';
import { perform } from './effects.ts';

const day = 86_400_000;
const until = '2026-11-01T14:00:00.000Z';
const action = { type: 'wait', until, cause: 'limit', isWhole: true } as const;

/** Waits two hours on clocks that a test moves when the wait should be over. */
async function waited(
  move: { readonly wallMs: number; readonly monotonicMs: number },
  { signal = new AbortController(), waitsUntil = until, isWhole = true, setBackMs = 0 } = {},
) {
  const recorded: Fact[] = [];
  const clock = { wallMs: Date.parse(until) - 2 * 3_600_000, monotonicMs: 7 };
  const since = new Date(clock.wallMs).toISOString();
  clock.wallMs -= setBackMs;
  const wait = { until: waitsUntil, since, cause: 'limit', message: 'later' } as const;
  const effect = {
    loop: () => edit(idleLoop(configSchema.parse({})), { pending: { wait } }),
    ports: {
      clock: {
        nowMs: () => clock.wallMs,
        monotonicMs: () => clock.monotonicMs,
        waitUntil: async (instantMs: number) => {
          expect(instantMs - clock.wallMs).toBeLessThanOrEqual(2 * 3_600_000);
          clock.wallMs += move.wallMs;
          clock.monotonicMs += move.monotonicMs;
        },
      },
    },
    record: async (facts: readonly Fact[]) => void recorded.push(...facts),
    takeElapsedMs: () => 0,
    signal: signal.signal,
    kill: signal.signal,
  } as unknown as Effect;
  expect(await perform({ ...action, isWhole }, effect)).toEqual([]);
  return recorded;
}

test('a wait that ends at its instant writes nothing', async () => {
  expect(await waited({ wallMs: 2 * 3_600_000, monotonicMs: 2 * 3_600_000 })).toEqual([]);
});

test('a wait that was waited out although the clock was set back is over, and that is written', async () => {
  const recorded = await waited({ wallMs: 2 * 3_600_000 - day, monotonicMs: 2 * 3_600_000 });
  const data = { until: '2026-10-31T14:00:00.000Z', cause: 'limit', message: 'later' };
  expect(recorded).toEqual([{ type: 'wait.scheduled', data }]);
});

test('a wait that was interrupted or is not over is not recorded as over', async () => {
  expect(await waited({ wallMs: -day, monotonicMs: 1_000 })).toEqual([]);
  const broken = new AbortController();
  broken.abort();
  expect(await waited({ wallMs: -day, monotonicMs: 2 * 3_600_000 }, { signal: broken })).toEqual([]);
});

test('R7: a wait whose clock was set back before this owner began it is over when it was waited out', async () => {
  const twoHours = { wallMs: 2 * 3_600_000, monotonicMs: 2 * 3_600_000 };
  const waitsUntil = new Date(Date.parse(until) + 3_600_000).toISOString();
  expect(await waited(twoHours, { waitsUntil })).toMatchObject([{ type: 'wait.scheduled', data: { until } }]);
  expect(await waited(twoHours, { waitsUntil, isWhole: false })).toEqual([]);
});

test('R7: what was waited of a wait counts when the clock is set back before all of it is over', async () => {
  const twoHours = 2 * 3_600_000;
  const waitsUntil = new Date(Date.parse(until) + twoHours).toISOString();
  const recorded = await waited({ wallMs: twoHours - day, monotonicMs: twoHours }, { waitsUntil, isWhole: false });
  expect(recorded).toMatchObject([{ type: 'wait.scheduled', data: { until: '2026-10-31T16:00:00.000Z' } }]);
});

test('R7: a clock that is set back after a wait is recorded and before it begins makes the wait no longer', async () => {
  const recorded = await waited({ wallMs: 2 * 3_600_000, monotonicMs: 2 * 3_600_000 }, { setBackMs: 3_600_000 });
  expect(recorded).toMatchObject([{ type: 'wait.scheduled', data: { until: '2026-11-01T13:00:00.000Z' } }]);
});

test('a wait is over although the wall clock, which counts whole milliseconds, says a little less', async () => {
  const waitedOut = { wallMs: 2 * 3_600_000 - day, monotonicMs: 2 * 3_600_000 - 0.4 };
  expect(await waited(waitedOut)).toMatchObject([{ type: 'wait.scheduled' }]);
});
