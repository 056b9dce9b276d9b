import { expect } from 'vitest';
import { idleLoop, type Loop, replay } from '../../../src/core/index.ts';
import { loopStarted } from '../../../src/core/testing/facts.ts';
import { configSchema, type Fact, type RecordedFact } from '../../../src/protocol/index.ts';

/** The loop in every conformance test. */
export const loopId = 'ralph-fix-tests-a1b2c3d4';

/** The first fact of a loop. */
export const started: Fact = loopStarted();

/** A fact that is distinguishable by its text. */
export function guide(text: string): Fact {
  return { type: 'command.accepted', data: { id: text, command: 'guide', text } };
}

/** The owner parks a waiting loop. */
export const parked = {
  type: 'loop.parked',
  data: { wakeAt: '2026-11-01T17:00:00.000Z', elapsedMs: 0 },
} as const satisfies Fact;

export const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'aborted', verified: false, elapsedMs: 0 },
};

/** The texts of facts, without those that a store writes about itself. */
export function textsOf(facts: readonly RecordedFact[]): readonly string[] {
  return facts.flatMap(({ type, data }) => {
    if (type === 'segment.opened') return [];
    return type === 'command.accepted' ? [data.id] : [type];
  });
}

/** Expects sequence numbers to rise without duplicates. */
export function expectRising(facts: readonly RecordedFact[]): void {
  const numbers = facts.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
}

/** The loop that results from some facts. */
export function loopOf(facts: readonly RecordedFact[], before: Loop = idleLoop(configSchema.parse({}))): Loop {
  return replay(facts, before);
}
