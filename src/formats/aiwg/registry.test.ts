import { expect, test } from 'vitest';
import { edit, idleLoop } from '../../core/index.ts';
import { configSchema, linksIn, type Status } from '../../protocol/index.ts';
import { isOwnRegistry, type RegistryLoops, type RegistryRow, toRegistryDocument } from './registry.ts';

const now = '2026-11-16T10:00:00.000Z';
const details = { now, registryPath: '.ralph/registry.json' };

function row(id: string, status: Status, task = 'fix\nthe  tests'): RegistryRow {
  const loop = edit(idleLoop(configSchema.parse({})), {
    id,
    status,
    origin: {
      task,
      startedAt: '2026-11-16T09:00:00.000Z',
      workingDirectory: '/project',
      startedBy: 'ann',
    },
    journal: { lastActivityAt: '2026-11-16T09:30:00.000Z' },
    gate: { checks: ['npm test'] },
  });
  return { loop, shownStatus: status, stateFile: `.ralph/loops/${id}/state.json` };
}

function live(...rows: readonly RegistryRow[]): RegistryLoops {
  return { live: rows, ended: [] };
}

test('B083 B085 B091: the registry carries the fields of both schemas; only live loops are entries, the others are counted', () => {
  const ended = [
    { id: 'b', status: 'completed' },
    { id: 'c', status: 'aborted' },
  ] as const;
  const document = toRegistryDocument({ live: [row('a', 'running'), row('d', 'paused')], ended }, details);
  expect(document).toMatchObject({
    version: '2.0.0',
    max_concurrent_loops: 4,
    registry_path: '.ralph/registry.json',
    last_updated: now,
    updated_at: now,
    total_active: 2,
    total_completed: 1,
    total_aborted: 1,
    active_loops: [{ loop_id: 'a' }, { loop_id: 'd' }],
  });
});

test('B084: an entry states what a loop is, where its state is and which process runs it', () => {
  const document = toRegistryDocument(live({ ...row('a', 'running'), pid: 12, shownStatus: 'running' }), details);
  expect(document['active_loops']).toEqual([
    {
      loop_id: 'a',
      status: 'running',
      iteration: 0,
      task: 'fix\nthe  tests',
      task_summary: 'fix the tests',
      completion_criteria: 'npm test',
      started_at: '2026-11-16T09:00:00.000Z',
      last_active: now,
      pid: 12,
      owner: 'ann',
      working_directory: '/project',
      state_file: '.ralph/loops/a/state.json',
      max_iterations: 100,
      priority: 'medium',
      tags: [],
    },
  ]);
});

test('B088: without a process an entry keeps its last sign of life, and a dead one is crashed', () => {
  const document = toRegistryDocument(live({ ...row('a', 'running'), shownStatus: 'crashed' }), details);
  const [entry] = document['active_loops'] as readonly Record<string, unknown>[];
  expect(entry).toMatchObject({ status: 'crashed', last_active: '2026-11-16T09:30:00.000Z' });
  expect(entry).not.toHaveProperty('pid');
});

test('B085: the summary of a task has at most 200 characters', () => {
  const document = toRegistryDocument(live(row('a', 'running', 'x'.repeat(500))), details);
  const [entry] = document['active_loops'] as readonly Record<string, unknown>[];
  expect(entry?.['task_summary']).toHaveLength(200);
});

test('the registry states which loop each loop continues, for those that have ended too', () => {
  const { loop, ...rest } = row('c', 'running');
  const continued = { loop: edit(loop, { origin: { resumedFrom: 'b' } }), ...rest };
  const ended = [
    { id: 'a', status: 'failed' },
    { id: 'b', status: 'completed', resumedFrom: 'a' },
  ] as const;
  const document = toRegistryDocument({ live: [continued], ended }, details);
  expect(document['ralphd']).toEqual({ format: 1, resumed_from: { a: null, b: 'a', c: 'b' } });
  expect(linksIn(document)).toEqual(
    new Map([
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
    ]),
  );
  expect(linksIn({ ralphd: { format: 1 } })).toEqual(new Map());
});

test('our registry is distinguished from one that another program wrote', () => {
  expect(isOwnRegistry(JSON.parse(JSON.stringify(toRegistryDocument(live(), details))))).toBe(true);
  expect(isOwnRegistry({ version: '2.0.0', active_loops: [] })).toBe(false);
  expect(isOwnRegistry(null)).toBe(false);
});

const theirs = { loop_id: 'ralph-theirs-0000000a', status: 'waiting', iteration: 2, started_at: now, x_note: 1 };
const foreign = {
  version: '2.1.0',
  max_concurrent_loops: 4,
  active_loops: [theirs],
  total_active: 1,
  total_completed: 3,
  total_aborted: 1,
  x_team: 'core',
};

test('a registry that another program began keeps its loops, its counts and what ralphd does not know', () => {
  const first = toRegistryDocument(live(row('a', 'running')), { ...details, before: foreign });
  expect(first).toMatchObject({
    x_team: 'core',
    total_active: 2,
    total_completed: 3,
    total_aborted: 1,
    active_loops: [theirs, { loop_id: 'a' }],
  });
  const ended = [{ id: 'a', status: 'completed' }] as const;
  const second = toRegistryDocument({ live: [], ended }, { ...details, before: first });
  expect(second).toMatchObject({ total_active: 1, total_completed: 4, total_aborted: 1, active_loops: [theirs] });
});

test('a removed loop of ralphd leaves the registry, whichever release wrote it', () => {
  const before = toRegistryDocument(live(row('a', 'paused')), details);
  expect(toRegistryDocument(live(), { ...details, before })).toMatchObject({ total_active: 0, active_loops: [] });
  const first = { ...before, ralphd: { format: 1 } };
  expect(toRegistryDocument(live(), { ...details, before: first })).toMatchObject({ active_loops: [] });
});

test('a damaged registry gives nothing to keep', () => {
  const before = { active_loops: 'many', total_completed: -1, ralphd: 7 };
  expect(toRegistryDocument(live(), { ...details, before })).toMatchObject({ total_completed: 0, active_loops: [] });
});
