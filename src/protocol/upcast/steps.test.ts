import { expect, test } from 'vitest';
import { type SnapshotDocument, snapshotUpcasters, upcastFact } from './steps.ts';

const old = { path: 'check.sh', digest: 'abc' };
const today = { kind: 'file', path: 'check.sh', digest: 'abc', effect: 'refuse' };

test.each([
  ['loop.started', 'guards'],
  ['gate.accepted', 'guards'],
  ['baseline.finished', 'renewed'],
])('the old form of %s becomes the current form, which stays unchanged', (type, field) => {
  const upcast = upcastFact(type, { [field]: [old], other: 1 });
  expect(upcast).toEqual({ [field]: [today], other: 1 });
  expect(upcastFact(type, upcast)).toEqual(upcast);
});

test('other facts and values that are not records are left unchanged', () => {
  expect(upcastFact('loop.paused', { guards: [old] })).toEqual({ guards: [old] });
  expect(upcastFact('constructor', { guards: [old] })).toEqual({ guards: [old] });
  expect(upcastFact('loop.started', null)).toBeNull();
});

test('a snapshot of the first format becomes one of the current format', () => {
  const document = { loop_id: 'x', ralphd: { seq: 4, loop: { id: 'x', guards: [old] } } };
  const upcast = snapshotUpcasters.reduce((older, step) => step(older), document as SnapshotDocument);
  expect(upcast).toEqual({ loop_id: 'x', ralphd: { seq: 4, loop: { id: 'x', guards: [today] } } });
  expect(snapshotUpcasters[0]?.({ ralphd: {} })).toEqual({ ralphd: {} });
});
