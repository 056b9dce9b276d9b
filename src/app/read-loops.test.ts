import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { byText } from '../base/index.ts';
import { toStateDocument } from '../formats/index.ts';
import { type Fact, viewVersion } from '../protocol/index.ts';
import { viewOf } from '../views/index.ts';
import { findLoop, listLoops, readLoop } from './read-loops.ts';
import { listStatuses, readStatus } from './read-status.ts';
import { refreshQuietly } from './registry.ts';
import { type LoopPlace, openStore } from './stores.ts';
import { createPlace, abortedFact as ended, leaveLoop, startedFact } from './testing/left-loop.ts';

test('R3: a loop recorded as running is shown as crashed when no process runs it, and as running while one does', () => {
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
    owner: { pid: process.pid, liveness: 'alive' },
  });
});

test('a loop that its owner parked is shown as running and due, not as crashed, until it is resumed', async () => {
  const place = createPlace();
  const wakeAt = '2026-11-01T17:00:00.000Z';
  const wait: Fact = { type: 'wait.scheduled', data: { until: wakeAt, cause: 'limit', message: 'later' } };
  leaveLoop(place, 'ralph-fix-a1b2c3d4', wait, { type: 'loop.parked', data: { wakeAt, elapsedMs: 0 } });
  expect(findLoop(place, undefined)).toMatchObject({ shownStatus: 'running', wakeAt });
  expect(await readStatus(place, undefined)).toMatchObject({ shownStatus: 'running', wakeAt });
  {
    using owner = openStore(place).open('ralph-fix-a1b2c3d4');
    expect(findLoop(place, undefined)).not.toHaveProperty('wakeAt');
    owner.append([{ type: 'reboot.started', data: { cause: 'manual' } }]);
  }
  expect(findLoop(place, undefined)).toMatchObject({ shownStatus: 'crashed' });
});

test('a loop whose owner is on another machine is shown with its recorded status, and not as crashed', () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-fix-a1b2c3d4');
  const owner = {
    host: 'elsewhere',
    bootId: 'its boot',
    pid: 7,
    startTime: '1',
    epoch: 1,
    since: '2026-11-01T12:00:00Z',
  };
  writeFileSync(path.join(place.root, 'loops/ralph-fix-a1b2c3d4/owner.json'), JSON.stringify(owner));
  expect(findLoop(place, undefined)).toMatchObject({
    shownStatus: 'running',
    owner: { host: 'elsewhere', liveness: 'unknown' },
  });
});

test.each([
  ['ralph-fix-a1b2c3d4', 'ralph-fix-a1b2c3d4'],
  ['fix', 'ralph-fix-a1b2c3d4'],
  ['A1B2', 'ralph-fix-a1b2c3d4'],
  ['b1b2c3d4-0000-4000-8000-000000000000', 'ralph-docs-b1b2c3d4'],
  ['loop_b1b2', 'ralph-docs-b1b2c3d4'],
])('A146 R10: %j resolves to %s', (query, expected) => {
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

test('an id may be omitted when only one loop is active, or only one exists', () => {
  const place = createPlace();
  expect(() => findLoop(place, undefined)).toThrow(/There are no loops in/);
  leaveLoop(place, 'ralph-done-a1b2c3d4', ended);
  expect(findLoop(place, undefined).loop.id).toBe('ralph-done-a1b2c3d4');
  leaveLoop(place, 'ralph-live-b1b2c3d4');
  expect(findLoop(place, undefined).loop.id).toBe('ralph-live-b1b2c3d4');
  leaveLoop(place, 'ralph-also-c1b2c3d4');
  expect(() => findLoop(place, undefined)).toThrow(/no id was given: ralph-also-c1b2c3d4, ralph-live-b1b2c3d4/);
});

test('a reader that gives no id gets the newest of several ended loops, and never chooses between live ones', () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-one-a1b2c3d4', ended);
  leaveLoop(place, 'ralph-two-b1b2c3d4', ended);
  const newest = [findLoop(place, 'one'), findLoop(place, 'two')].toSorted((one, other) =>
    byText(other.loop.origin.startedAt ?? '', one.loop.origin.startedAt ?? ''),
  )[0]?.loop.id;
  expect(findLoop(place, undefined, { orNewest: true }).loop.id).toBe(newest);
  expect(() => findLoop(place, undefined)).toThrow(/no id was given/);
  leaveLoop(place, 'ralph-live-c1b2c3d4');
  leaveLoop(place, 'ralph-also-d1b2c3d4');
  expect(() => findLoop(place, undefined, { orNewest: true })).toThrow(/no id was given/);
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

/** Leaves a snapshot that holds everything, as an owner does. */
function save(place: LoopPlace, loopId: string, change: (view: object) => object = (view) => view): void {
  const store = openStore(place);
  using open = store.open(loopId);
  const document = toStateDocument(readLoop(store, loopId).loop);
  const ralphd = document['ralphd'] as { readonly view: object };
  open.writeSnapshot({ ...document, ralphd: { ...ralphd, view: change(ralphd.view) } });
}

test('a reader sees what the facts add up to, whatever there is of a loop', async () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-facts-a1b2c3d4');
  leaveLoop(place, 'ralph-saved-b1b2c3d4', ended);
  save(place, 'ralph-saved-b1b2c3d4');
  leaveLoop(place, 'ralph-void-c1b2c3d4');
  writeFileSync(path.join(place.root, 'loops/ralph-void-c1b2c3d4/journal/0001-0001.jsonl'), '');
  const full = listLoops(place);
  const shown = await listStatuses(place);
  expect(shown.loops).toEqual(full.loops.map(({ loop, ...rest }) => ({ view: viewOf(loop), ...rest })));
  expect(shown.unreadable).toEqual(full.unreadable);
  for (const query of ['ralph-saved-b1b2c3d4', 'saved', 'b1b2']) {
    expect((await readStatus(place, query)).view.id).toBe('ralph-saved-b1b2c3d4');
  }
  expect((await readStatus(place, undefined).catch((error: unknown) => error)) as Error).toMatchObject({
    failure: { code: 'LOOP_NOT_GIVEN' },
  });
  await expect(readStatus(place, 'void')).rejects.toThrow(/it was never started/);
});

test('R3: a list shows a loop as crashed whose owner died after it had written its view', async () => {
  const place = createPlace();
  const loopId = 'ralph-saved-b1b2c3d4';
  leaveLoop(place, loopId);
  save(place, loopId);
  const status = async () => (await listStatuses(place)).loops.map(({ shownStatus }) => shownStatus);
  expect(openStore(place).loops()[0]?.glance()).toBeDefined();
  expect(await status()).toEqual(['crashed']);
  using _owner = openStore(place).open(loopId);
  expect(await status()).toEqual(['running']);
  const note = path.join(place.root, 'loops', loopId, 'owner.json');
  const owner = JSON.parse(readFileSync(note, 'utf8')) as object;
  writeFileSync(note, JSON.stringify({ ...owner, startTime: 'long ago' }));
  expect(await status()).toEqual(['crashed']);
});

test('the view that an owner wrote is shown unchanged, unless its version differs or facts followed', async () => {
  const place = createPlace();
  const loopId = 'ralph-saved-b1b2c3d4';
  leaveLoop(place, loopId);
  const shown = async () => (await readStatus(place, loopId)).view;
  save(place, loopId, (view) => ({ ...view, message: 'from the view' }));
  expect(await shown()).toMatchObject({ message: 'from the view', status: 'running' });
  save(place, loopId, (view) => ({ ...view, message: 'from the view', version: viewVersion + 1 }));
  expect(await shown()).not.toHaveProperty('message');
  save(place, loopId, (view) => ({ ...view, message: 'from the view' }));
  {
    using open = openStore(place).open(loopId);
    open.append([ended]);
  }
  expect(await shown()).toMatchObject({ message: 'ended by the user', status: 'aborted' });
});

/** Continues an ended loop in a new one. */
function continueIn(place: LoopPlace, loopId: string, resumedFrom: string): void {
  using open = openStore(place).create(loopId);
  open.append([startedFact(place, loopId, { resumedFrom })]);
}

test('an ended loop names the newest loop that continues it, whether or not the registry lists that one', async () => {
  const place = createPlace();
  const shown = async () => (await readStatus(place, 'ralph-old-a1b2c3d4')).continuedBy;
  leaveLoop(place, 'ralph-old-a1b2c3d4', ended);
  leaveLoop(place, 'ralph-other-b1b2c3d4');
  refreshQuietly(place);
  expect(await shown()).toBeUndefined();
  continueIn(place, 'ralph-new-c1b2c3d4', 'ralph-old-a1b2c3d4');
  expect(await shown()).toBe('ralph-new-c1b2c3d4');
  refreshQuietly(place);
  expect(await shown()).toBe('ralph-new-c1b2c3d4');
  rmSync(path.join(place.root, 'registry.json'));
  expect(await shown()).toBe('ralph-new-c1b2c3d4');
});

test('the registry only narrows the search: what it says makes no loop the successor of another', async () => {
  const place = createPlace();
  leaveLoop(place, 'ralph-old-a1b2c3d4', ended);
  continueIn(place, 'ralph-new-b1b2c3d4', 'ralph-elsewhere-c1b2c3d4');
  refreshQuietly(place);
  const registry = path.join(place.root, 'registry.json');
  const written = readFileSync(registry, 'utf8');
  expect(written).toContain('"ralph-new-b1b2c3d4": "ralph-elsewhere-c1b2c3d4"');
  writeFileSync(registry, written.replace('"ralph-elsewhere-c1b2c3d4"', '"ralph-old-a1b2c3d4"'));
  expect((await readStatus(place, 'ralph-old-a1b2c3d4')).continuedBy).toBeUndefined();
});
