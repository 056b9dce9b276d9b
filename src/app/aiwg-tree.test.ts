import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aiwgProblems } from '../formats/index.ts';
import { exampleState } from '../formats/testing/aiwg-example.ts';
import { findForeignState } from './foreign-state.ts';
import { assertNotForeign, createRegistry } from './registry.ts';
import type { LoopPlace } from './stores.ts';
import { createPlace, leaveLoop } from './testing/left-loop.ts';

const id = 'ralph-fix-tests-a1b2c3d4';

/** A project in which AIWG's tools have a loop, with or without a registry. */
function sharedPlace(registry?: object): LoopPlace {
  const { workingDirectory } = createPlace();
  const root = path.join(workingDirectory, '.aiwg', 'ralph');
  mkdirSync(path.join(root, 'loops', id), { recursive: true });
  writeFileSync(path.join(root, 'loops', id, 'state.json'), JSON.stringify(exampleState));
  if (registry !== undefined) writeFileSync(path.join(root, 'registry.json'), JSON.stringify(registry));
  return { workingDirectory, root };
}

const registryOf = ({ root }: LoopPlace) =>
  JSON.parse(readFileSync(path.join(root, 'registry.json'), 'utf8')) as Record<string, unknown>;

test("R12: in AIWG's folder, loops of ralphd and of AIWG stand side by side in one valid registry", () => {
  const entry = { loop_id: id, status: 'running', iteration: 5, started_at: '2026-02-02T21:00:00Z', pid: null };
  const place = sharedPlace({ version: '2.0.0', max_concurrent_loops: 4, active_loops: [entry], x_owner: 'aiwg' });
  assertNotForeign(place);
  leaveLoop(place, 'ralph-ours-00000001');
  createRegistry(place).refresh();
  const written = registryOf(place);
  expect(written).toMatchObject({
    x_owner: 'aiwg',
    total_active: 2,
    active_loops: [
      entry,
      { loop_id: 'ralph-ours-00000001', state_file: '.aiwg/ralph/loops/ralph-ours-00000001/state.json' },
    ],
  });
  expect(aiwgProblems(written, 'registry', 'nullable')).toEqual([]);
  expect(readdirSync(place.root)).not.toContain('registry.json.lock');
  expect(readFileSync(path.join(place.root, 'loops', id, 'state.json'), 'utf8')).toBe(JSON.stringify(exampleState));
});

test('something else in its place is still refused', () => {
  const place = sharedPlace({ name: 'npm' });
  expect(() => assertNotForeign(place)).toThrow(expect.objectContaining({ code: 'FOREIGN_STATE' }) as Error);
});

test('doctor names the loops of AIWG beside those of ralphd, also without a registry, and how to import them', () => {
  const place = sharedPlace();
  expect(findForeignState(place.workingDirectory, place.root)).toMatchObject([
    { level: 'note', what: expect.stringContaining(id), fix: 'ralphd import .aiwg/ralph' },
  ]);
  expect(findForeignState(place.workingDirectory, path.join(place.workingDirectory, '.ralph'))).toMatchObject([
    { where: place.root, fix: 'ralphd import .aiwg/ralph' },
  ]);
});
