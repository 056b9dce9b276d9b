import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleState } from '../formats/testing/aiwg-example.ts';
import {
  allowedTransitions,
  createState,
  deregisterLoop,
  type LoopStatus,
  type RegistryDocument,
  readCheckpoint,
  readRegistry,
  readState,
  recordCompletionCheck,
  recordHeartbeat,
  registerLoop,
  type StateDocument,
  schemaOf,
  staleLoops,
  transition,
  updateState,
  validateDocument,
  writeCheckpoint,
  writeRegistry,
  writeState,
} from './index.ts';

const at = '2026-11-18T08:00:00Z';
const state: StateDocument = { ...exampleState, progress: { ...exampleState.progress, x_note: 1 }, x_team: 'core' };

test('A176: a state document is read and written without a change, nulls and unknown fields included', () => {
  const reading = readState(JSON.stringify(state));
  expect(reading).toEqual({ ok: true, document: state });
  expect(JSON.parse(writeState(state))).toEqual(state);
  expect(readState('{"version":')).toEqual({ ok: false, problems: [{ pointer: '', message: 'is not JSON' }] });
  expect(readState('')).toMatchObject({ ok: false, problems: [{ message: 'is empty' }] });
  expect(() => writeState({ ...state, iteration: -1 })).toThrow('/iteration must be at least 0, but is -1.');
});

test.each<readonly [LoopStatus, readonly LoopStatus[]]>([
  ['running', ['paused', 'completing', 'failed', 'aborted', 'crashed']],
  ['paused', ['running', 'aborted']],
  ['completing', ['completed', 'failed', 'crashed']],
  ['completed', []],
  ['failed', []],
  ['aborted', []],
  ['crashed', []],
])('A163-A167: a loop that is %s may go to %j, and nowhere else', (from, allowed) => {
  expect([...allowedTransitions(from)].sort()).toEqual([...allowed].sort());
  for (const to of ['running', 'paused', 'completing', 'completed', 'failed', 'aborted', 'crashed'] as const) {
    const move = () => transition({ ...state, status: from }, to, at);
    if (allowed.includes(to)) expect(move()).toMatchObject({ status: to, last_updated: at });
    else expect(move).toThrow(RangeError);
  }
});

test('A168-A170: a new state is valid; an update refreshes its time, keeps its id and obeys the transitions', () => {
  const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
  const created = createState({ task: 'Fix the tests', uuid, at, owner: 'ada' });
  expect(validateDocument(created, { reading: 'pure' })).toEqual({ kind: 'state', valid: true, problems: [] });
  const later = '2026-11-18T09:00:00Z';
  expect(updateState(created, { iteration: 2 }, later)).toEqual({ ...created, iteration: 2, last_updated: later });
  expect(updateState(created, { status: 'aborted' }, later)).toMatchObject({ status: 'aborted', completed_at: later });
  expect(() => updateState(created, { status: 'completed' }, later)).toThrow('cannot go from running to completed');
  expect(() => updateState(created, { loop_id: 'ralph-x-00000000' }, later)).toThrow(RangeError);
});

test('A171: a check is appended and is the last one; one that passed begins the completion', () => {
  const check = { iteration: 6, timestamp: at, passed: false, output: '1 error' };
  const failed = recordCompletionCheck(state, check);
  expect(failed).toMatchObject({ status: 'running', progress: { last_completion_check: check, x_note: 1 } });
  expect(failed.progress?.completion_checks).toHaveLength(3);
  expect(recordCompletionCheck(failed, { ...check, passed: true }).status).toBe('completing');
});

test('whatever is done to a document, in whatever order, it stays valid, and an ended loop stays ended', () => {
  const status = fc.constantFrom<LoopStatus>('running', 'paused', 'completing', 'completed', 'failed', 'aborted');
  fc.assert(
    fc.property(fc.array(status, { maxLength: 12 }), (moves) => {
      let now = state;
      for (const to of moves) {
        const isOver = allowedTransitions(now.status).length === 0;
        try {
          now = transition(now, to, at);
          expect(isOver).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
        expect(validateDocument(now).valid).toBe(true);
      }
    }),
  );
});

const empty: RegistryDocument = { version: '2.0.0', max_concurrent_loops: 4, active_loops: [], x_team: 'core' };
const entry = (digit: number) =>
  ({ loop_id: `ralph-x-0000000${digit}`, status: 'running', iteration: 1, started_at: at, pid: digit }) as const;

test('B086 B087: a fifth loop is refused with the list of the others, unless it is forced', () => {
  const four = [1, 2, 3, 4].reduce((registry, digit) => registerLoop(registry, entry(digit), { at }), empty);
  expect(() => registerLoop(four, entry(5), { at })).toThrow('ralph-x-00000001, ralph-x-00000002');
  const five = registerLoop(four, entry(5), { at, force: true });
  expect(five.active_loops).toHaveLength(5);
  expect(readRegistry(writeRegistry(five))).toEqual({ ok: true, document: five });
  expect(() => registerLoop(four, entry(1), { at, force: true })).toThrow('registered already');
  expect(() => registerLoop(empty, { ...entry(1), loop_id: 'mine' }, { at })).toThrow('not a loop id');
  expect(deregisterLoop(five, 'ralph-x-00000003', at).active_loops).toHaveLength(4);
  expect(() => deregisterLoop(empty, 'ralph-x-00000003', at)).toThrow('not registered');
});

test('B088: a loop is stale after five minutes without a sign of life, if its process is gone', () => {
  const registry = registerLoop(registerLoop(empty, entry(1), { at }), entry(2), { at });
  const later = '2026-11-18T08:06:00Z';
  const isRunning = (pid: number) => pid === 2;
  expect(staleLoops(registry, later, isRunning).map(({ loop_id }) => loop_id)).toEqual(['ralph-x-00000001']);
  expect(staleLoops(recordHeartbeat(registry, 'ralph-x-00000001', later), later, isRunning)).toEqual([]);
  expect(staleLoops(registry, at, () => false)).toEqual([]);
});

test('B092: a checkpoint is compressed and read back; a damaged one is an answer', () => {
  const checkpoint = {
    checkpoint_id: 'c',
    workflow_id: 'w',
    workflow_type: 'ralph_loop',
    created_at: at,
    state: { phase: 'starting' },
  };
  const bytes = writeCheckpoint(checkpoint);
  expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(checkpoint);
  expect(readCheckpoint(bytes)).toEqual({ ok: true, document: checkpoint });
  expect(readCheckpoint(bytes.slice(0, 9))).toMatchObject({ ok: false });
});

test('a document of no known kind is not valid, and a schema can be taken along', () => {
  expect(validateDocument({ a: 1 })).toMatchObject({ kind: undefined, valid: false });
  expect(schemaOf('registry')).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
});
