import { expect, test } from 'vitest';
import { edit, idleLoop } from '../../core/index.ts';
import { configSchema, type Status } from '../../protocol/index.ts';
import { isOwnRegistry, type RegistryRow, toRegistryDocument } from './registry.ts';

const now = '2026-11-16T10:00:00.000Z';
const details = { now, registryPath: '.ralph/registry.json' };

function row(id: string, status: Status | 'idle', task = 'fix\nthe  tests'): RegistryRow {
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

test('B083, B085: the registry carries the fields of both schemas, and only live loops are entries', () => {
  const rows = [row('a', 'running'), row('b', 'completed'), row('c', 'aborted'), row('d', 'paused'), row('e', 'idle')];
  const document = toRegistryDocument(rows, details);
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
  const document = toRegistryDocument([{ ...row('a', 'running'), pid: 12, shownStatus: 'running' }], details);
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
  const document = toRegistryDocument([{ ...row('a', 'running'), shownStatus: 'crashed' }], details);
  const [entry] = document['active_loops'] as readonly Record<string, unknown>[];
  expect(entry).toMatchObject({ status: 'crashed', last_active: '2026-11-16T09:30:00.000Z' });
  expect(entry).not.toHaveProperty('pid');
});

test('B085: the summary of a task has at most 200 characters', () => {
  const document = toRegistryDocument([row('a', 'running', 'x'.repeat(500))], details);
  const [entry] = document['active_loops'] as readonly Record<string, unknown>[];
  expect(entry?.['task_summary']).toHaveLength(200);
});

test('our registry is distinguished from one that another program wrote', () => {
  expect(isOwnRegistry(JSON.parse(JSON.stringify(toRegistryDocument([], details))))).toBe(true);
  expect(isOwnRegistry({ version: '2.0.0', active_loops: [] })).toBe(false);
  expect(isOwnRegistry(null)).toBe(false);
});
