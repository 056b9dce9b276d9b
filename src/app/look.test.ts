import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toStateDocument } from '../formats/index.ts';
import { configSchema, encodeConfig, type Fact } from '../protocol/index.ts';
import { findLoop, listLoops, lookAt } from './look.ts';
import { showLoop, showLoops } from './show-loops.ts';
import { type LoopPlace, openStore } from './stores.ts';

const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'ended by the user', verified: false, elapsedMs: 0 },
};

function createPlace(): LoopPlace {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-look-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  return { workingDirectory, root: path.join(workingDirectory, '.ralph') };
}

/** A loop on disk, left in good order by its owner. */
function leaveLoop(place: LoopPlace, loopId: string, ...more: readonly Fact[]): void {
  using open = openStore(place).create(loopId);
  const data = {
    loopId,
    uuid: `${loopId.slice(-8)}-0000-4000-8000-000000000000`,
    task: 'x',
    agent: 'command',
    workingDirectory: place.workingDirectory,
    startedBy: 'user',
    config: encodeConfig(configSchema.parse({})),
    configHash: 'hash',
    checks: [],
  };
  open.append([{ type: 'loop.started', data }, ...more]);
}

test('R3: a loop that says it runs is shown as crashed when nobody drives it, and as running while somebody does', () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4');
  expect(findLoop(place, undefined)).toMatchObject({
    shownStatus: 'crashed',
    loop: { status: 'running' },
    problems: [],
  });
  using _owner = openStore(place).open('ralph-fix-a1b2c3d4');
  expect(findLoop(place, undefined)).toMatchObject({
    shownStatus: 'running',
    owner: { pid: process.pid, alive: true },
  });
});

test.each([
  ['ralph-fix-a1b2c3d4', 'ralph-fix-a1b2c3d4'],
  ['fix', 'ralph-fix-a1b2c3d4'],
  ['A1B2', 'ralph-fix-a1b2c3d4'],
  ['b1b2c3d4-0000-4000-8000-000000000000', 'ralph-docs-b1b2c3d4'],
  ['loop_b1b2', 'ralph-docs-b1b2c3d4'],
])('A146 R10: %j is taken for %s', (query, expected) => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4');
  leaveLoop(place, 'ralph-docs-b1b2c3d4');
  expect(findLoop(place, query).loop.id).toBe(expected);
});

test.each([
  ['ralph', 'LOOP_AMBIGUOUS'],
  ['nobody', 'LOOP_NOT_FOUND'],
  ['../ralph-fix-a1b2c3d4', 'LOOP_NOT_FOUND'],
  ['', 'LOOP_NOT_FOUND'],
])('%j is refused with %s', (query, code) => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4');
  leaveLoop(place, 'ralph-docs-b1b2c3d4');
  expect(() => findLoop(place, query)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code }) as object }) as Error,
  );
});

test('an id may be left out when only one loop is live, or only one is there', () => {
  const place = createPlace();
  expect(() => findLoop(place, undefined)).toThrow(/There is no loop in/);
  leaveLoop(place, 'ralph-done-a1b2c3d4', ended);
  expect(findLoop(place, undefined).loop.id).toBe('ralph-done-a1b2c3d4');
  leaveLoop(place, 'ralph-live-b1b2c3d4');
  expect(findLoop(place, undefined).loop.id).toBe('ralph-live-b1b2c3d4');
  leaveLoop(place, 'ralph-also-c1b2c3d4');
  expect(() => findLoop(place, undefined)).toThrow(/more than one: ralph-also-c1b2c3d4, ralph-live-b1b2c3d4/);
});

test('a loop that cannot be read is listed apart, is found by its id, and hides nothing', () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fine-a1b2c3d4');
  leaveLoop(place, 'ralph-link-b1b2c3d4');
  leaveLoop(place, 'ralph-void-c1b2c3d4');
  const journal = path.join(place.root, 'loops/ralph-link-b1b2c3d4/journal/0001-0001.jsonl');
  rmSync(journal);
  symlinkSync('/dev/null', journal);
  // What a process leaves that dies while it makes a loop.
  writeFileSync(path.join(place.root, 'loops/ralph-void-c1b2c3d4/journal/0001-0001.jsonl'), '');
  const { loops, unreadable } = listLoops(place);
  expect(loops.map(({ loop }) => loop.id)).toEqual(['ralph-fine-a1b2c3d4']);
  expect(unreadable.map(({ loopId }) => loopId)).toEqual(['ralph-link-b1b2c3d4', 'ralph-void-c1b2c3d4']);
  expect(() => findLoop(place, 'link')).toThrow(/symbolic link/);
  expect(() => findLoop(place, 'void')).toThrow(/ralph-void-c1b2c3d4 cannot be read: it was never started/);
  expect(findLoop(place, 'fine').loop.id).toBe('ralph-fine-a1b2c3d4');
});

test('what other tools keep in the folder is passed over', () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4');
  mkdirSync(path.join(place.root, 'loops/ralph-theirs-b1b2c3d4'));
  writeFileSync(path.join(place.root, 'loops/notes.txt'), '');
  expect(listLoops(place)).toMatchObject({ loops: [{ loop: { id: 'ralph-fix-a1b2c3d4' } }], unreadable: [] });
});

test('what is shown at a glance is what a thorough look finds, whatever there is of a loop', async () => {
  const place = createPlace();
  const store = openStore(place);
  leaveLoop(place, 'ralph-facts-a1b2c3d4');
  leaveLoop(place, 'ralph-saved-b1b2c3d4', ended);
  leaveLoop(place, 'ralph-void-c1b2c3d4');
  writeFileSync(path.join(place.root, 'loops/ralph-void-c1b2c3d4/journal/0001-0001.jsonl'), '');
  {
    using open = store.open('ralph-saved-b1b2c3d4');
    open.writeSnapshot(toStateDocument(lookAt(store, 'ralph-saved-b1b2c3d4').loop));
  }
  const thorough = listLoops(place);
  const shown = await showLoops(place);
  const withConfig = shown.loops.map((view, index) => {
    const config = thorough.loops[index]?.loop.config;
    return { ...view, loop: { ...view.loop, config } };
  });
  expect(withConfig).toEqual(thorough.loops);
  expect(shown.loops[1]?.loop.config).not.toHaveProperty('iteration');
  expect(shown.unreadable).toEqual(thorough.unreadable);
  for (const query of ['ralph-saved-b1b2c3d4', 'saved', 'b1b2']) {
    expect((await showLoop(place, query)).loop.id).toBe('ralph-saved-b1b2c3d4');
  }
  expect((await showLoop(place, undefined).catch((error: unknown) => error)) as Error).toMatchObject({
    failure: { code: 'LOOP_NOT_GIVEN' },
  });
  await expect(showLoop(place, 'void')).rejects.toThrow(/it was never started/);
});
