import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aiwgProblems } from '../formats/index.ts';
import { exampleState } from '../formats/testing/aiwg-example.ts';
import { findForeignState } from './foreign-state.ts';
import { assertNotForeign, createRegistry } from './registry.ts';
import type { LoopPlace } from './stores.ts';
import { createPlace, leaveLoop } from './testing/left-loop.ts';
import { admitLoop } from './worktree-share.ts';

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

/** An entry of AIWG's own; by default at work a moment ago, in a process that is gone. */
function entryOf(digit: number, more: object = {}) {
  const at = new Date().toISOString();
  return {
    loop_id: `ralph-aiwg-0000000${digit}`,
    status: 'running',
    iteration: 1,
    started_at: at,
    pid: 999_999_999,
    ...more,
  };
}

const longAgo = { started_at: '2026-02-02T21:00:00Z', last_active: '2026-02-02T21:05:00Z' };

async function admit(place: LoopPlace, force = false): Promise<readonly string[]> {
  const { workingDirectory } = place;
  return await admitLoop(place, { force, exclusive: false, workingDirectory, env: { HOME: workingDirectory } });
}

test('R13 B084 B086 B088: loops of AIWG in its folder count towards the limit of four while they show signs of life', async () => {
  const old = { ...longAgo, pid: process.pid };
  const working = [
    entryOf(1),
    entryOf(2, { status: 'waiting' }),
    entryOf(3, old),
    entryOf(4, { status: 'completing' }),
  ];
  const registry = { version: '2.0.0', max_concurrent_loops: 4 };
  const full = sharedPlace({ ...registry, active_loops: working });
  const refused = await admit(full).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'TOO_MANY_LOOPS' });
  for (const { loop_id } of working) expect(String(refused)).toContain(loop_id);
  expect(await admit(full, true)).toEqual([expect.stringContaining('5 loops run here')]);

  const resting = [
    entryOf(4, longAgo),
    entryOf(5, { status: 'paused' }),
    entryOf(6, { status: 'crashed' }),
    entryOf(7, { ...longAgo, pid: null }),
    entryOf(8, { started_at: 'once', pid: null }),
    entryOf(1),
    'damaged',
    {},
  ];
  expect(await admit(sharedPlace({ ...registry, active_loops: [...working.slice(0, 3), ...resting] }))).toEqual([]);
});

test('B086: loops of ralphd and of AIWG are counted together, each once, and only in the folder that they share', async () => {
  const registry = {
    version: '2.0.0',
    max_concurrent_loops: 4,
    active_loops: [1, 2, 3].map((digit) => entryOf(digit)),
  };
  const place = sharedPlace(registry);
  const elsewhere = path.join(place.workingDirectory, 'elsewhere');
  leaveLoop({ ...place, workingDirectory: elsewhere }, 'ralph-ours-00000001');
  createRegistry(place).refresh();
  await expect(admit(place)).rejects.toMatchObject({ code: 'TOO_MANY_LOOPS' });
  const apart = { ...place, root: path.join(place.workingDirectory, '.ralph') };
  expect(await admit(apart)).toEqual([]);
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
