import { expect, test, vi } from 'vitest';
import { idleLoop, type Loop } from '../../core/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { systemClock } from '../clock.ts';
import { createLateSaver } from './late-saver.ts';

const process = { host: 'h', bootId: 'b', pid: 1, startTime: '1' };

function running(seq: number, stage: 'executing' | 'executed' = 'executing'): Loop {
  const loop = idleLoop(configSchema.parse({}));
  const startedAt = '2026-01-01T00:00:00.000Z';
  const delivered = { guidance: [], handOff: false };
  const current = { iteration: 1, attempt: 1, epoch: 1, startedAt, delivered, stage, process };
  const position = { ...loop.position, iteration: 1, attempt: 1, current };
  return { ...loop, status: 'running', position, journal: { ...loop.journal, seq } };
}

/** A saver that has saved a running loop, and what it writes from then on. */
function startedSaver() {
  const written: number[] = [];
  const saver = createLateSaver((loop) => void written.push(loop.journal.seq), systemClock);
  saver.save(running(1));
  return { saver, written };
}

test('a state beside a working agent is written within a moment, as it is by then', async () => {
  const { saver, written } = startedSaver();
  saver.save(running(2));
  saver.outdate();
  saver.update(running(3));
  expect(written).toEqual([1]);
  await vi.waitFor(() => expect(written).toEqual([1, 3]));
});

test('a state without a working agent is written at once, and replaces the one that waits', () => {
  const { saver, written } = startedSaver();
  saver.save(running(2));
  saver.save(running(3, 'executed'));
  saver.finish();
  expect(written).toEqual([1, 3]);
});

test('a change of the status is written at once', () => {
  const { saver, written } = startedSaver();
  saver.save({ ...running(2), status: 'paused' });
  saver.save(running(3));
  expect(written).toEqual([1, 2, 3]);
});

test('what waits is written at the end, unless the journal has more than it', () => {
  const { saver, written } = startedSaver();
  saver.save(running(2));
  saver.finish();
  expect(written).toEqual([1, 2]);
  saver.save(running(3));
  saver.outdate();
  saver.finish();
  expect(written).toEqual([1, 2]);
});

test('a late save that fails fails the next step of the loop', async () => {
  let tries = 0;
  const saver = createLateSaver(() => {
    tries += 1;
    if (tries > 1) throw new Error('no room');
  }, systemClock);
  saver.save(running(1));
  saver.save(running(2));
  await vi.waitFor(() => expect(tries).toBe(2));
  expect(() => saver.outdate()).toThrow('no room');
  expect(() => saver.outdate()).not.toThrow();
});
