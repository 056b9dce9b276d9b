import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import type { ProcessIdentity } from '../../process/index.ts';
import { configSchema, encodeConfig, type Pulse } from '../../protocol/index.ts';
import { openLoopFolders } from '../../store/index.ts';
import { createFilePulseBus, createFilePulses, readFilePulse } from './file-pulses.ts';

const loopId = 'ralph-fix-a1b2c3d4';
const at = '2026-11-01T12:00:00.000Z';

function pulseOf(epoch: number, text: string, since = at): Pulse {
  const recent = [{ number: 1, at, kind: 'tool', text } as const];
  return { version: 1, loopId, epoch, at, iteration: 1, attempt: 1, step: 'agent', since, recent };
}

/** A loop with an owner of which the test decides whether it lives. */
function project() {
  const root = path.join(temporaryFolder(), '.ralph');
  const world = { isAlive: true };
  const owner: ProcessIdentity = { host: 'here', bootId: 'boot', pid: 1, startTime: '1' };
  const livenessOf = () => (world.isAlive ? ('alive' as const) : ('dead' as const));
  const folders = openLoopFolders({ root, owner, livenessOf, now: () => new Date(at) });
  const open = folders.create(loopId);
  onTestFinished(() => open.close());
  const config = encodeConfig(configSchema.parse({}));
  const origin = { loopId, uuid: 'u', task: 'x', agent: 'command', workingDirectory: '/', startedBy: 'user' };
  open.append([{ type: 'loop.started', data: { ...origin, config, configHash: 'hash', checks: [] } }]);
  const file = path.join(open.folder, 'pulse.json');
  const { epoch } = open;
  return { root, world, folders, open, file, epoch, folder: open.folder };
}

test('a step that is over before a pulse is due leaves no file', () => {
  const { folder, file, epoch } = project();
  using pulses = createFilePulses({ folder, everyMs: 60_000 });
  pulses.sink(pulseOf(epoch, 'a'));
  pulses.sink(undefined);
  expect(existsSync(file)).toBe(false);
});

test('the newest pulse is in the file, a change of step is written at once, and the end removes the file', async () => {
  const { folder, folders, file, epoch } = project();
  const pulses = createFilePulses({ folder, everyMs: 1 });
  pulses.sink(pulseOf(epoch, 'a'));
  pulses.sink(pulseOf(epoch, 'b'));
  await expect.poll(() => readFilePulse(folders, loopId)).toEqual(pulseOf(epoch, 'b'));
  pulses.sink(pulseOf(epoch, 'c', '2026-11-01T12:05:00.000Z'));
  expect(readFilePulse(folders, loopId)).toMatchObject({ recent: [{ text: 'c' }] });
  pulses[Symbol.dispose]();
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('pulse'))).toEqual([]);
});

test('a listener gets every pulse, and one that throws is dropped without disturbing the others', () => {
  const { folder, epoch } = project();
  using pulses = createFilePulses({ folder, everyMs: 60_000 });
  const received: (Pulse | undefined)[] = [];
  pulses.listen(() => {
    throw new Error('broken');
  });
  using _listener = pulses.listen((pulse) => void received.push(pulse));
  pulses.sink(pulseOf(epoch, 'a'));
  pulses.sink(pulseOf(epoch, 'b'));
  pulses.sink(undefined);
  expect(received).toEqual([pulseOf(epoch, 'a'), pulseOf(epoch, 'b'), undefined]);
});

test('the command of a check is shown without secrets', () => {
  const { folder, epoch } = project();
  using pulses = createFilePulses({ folder, redact: (text) => text.replaceAll('hunter2', '[redacted]') });
  const received: (Pulse | undefined)[] = [];
  using _listener = pulses.listen((pulse) => void received.push(pulse));
  const check = { step: 'check', purpose: 'gate', index: 1, count: 1, command: 'login hunter2', since: at } as const;
  pulses.sink({ version: 1, loopId, epoch, at, iteration: 1, attempt: 1, ...check });
  expect(received).toMatchObject([{ command: 'login [redacted]' }]);
});

test('a folder that is gone makes no trouble', async () => {
  const { folder, file, epoch, root } = project();
  using pulses = createFilePulses({ folder, everyMs: 1 });
  pulses.sink(pulseOf(epoch, 'a'));
  await expect.poll(() => existsSync(file)).toBe(true);
  rmSync(root, { recursive: true });
  pulses.sink(pulseOf(epoch, 'b', '2026-11-01T12:05:00.000Z'));
  pulses.sink(undefined);
  expect(existsSync(folder)).toBe(false);
});

test.each<[string, (file: string, epoch: number) => void]>([
  ['of an earlier owner', (file, epoch) => writeFileSync(file, JSON.stringify(pulseOf(epoch - 1, 'old')))],
  ['of another loop', (file, epoch) => writeFileSync(file, JSON.stringify({ ...pulseOf(epoch, 'x'), loopId: 'y' }))],
  ['that is too long', (file, epoch) => writeFileSync(file, JSON.stringify(pulseOf(epoch, 'x'.repeat(100_000))))],
  ['that is broken', (file, epoch) => writeFileSync(file, JSON.stringify(pulseOf(epoch, 'x')).slice(0, 40))],
])('a pulse %s is not shown', (_which, write) => {
  const { folders, file, epoch } = project();
  write(file, epoch);
  expect(readFileSync(file).length).toBeGreaterThan(0);
  expect(readFilePulse(folders, loopId)).toBeUndefined();
});

test('a pulse that a dead owner left is not shown as live', () => {
  const { folders, file, epoch, world } = project();
  writeFileSync(file, JSON.stringify(pulseOf(epoch, 'a')));
  expect(readFilePulse(folders, loopId)).toBeDefined();
  world.isAlive = false;
  expect(readFilePulse(folders, loopId)).toBeUndefined();
});

test('who follows a loop sees its pulses come and go, over the death of an owner, until the loop is removed', async () => {
  const { folders, file, epoch, world, root } = project();
  const seen: string[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const following = (async () => {
    for await (const pulse of createFilePulseBus(folders).follow(loopId, { signal: stop.signal })) {
      seen.push(pulse?.step === 'agent' ? (pulse.recent[0]?.text ?? '') : 'nothing');
    }
  })();
  writeFileSync(file, JSON.stringify(pulseOf(epoch, 'a')));
  await expect.poll(() => seen).toEqual(['a']);
  world.isAlive = false;
  writeFileSync(file, JSON.stringify(pulseOf(epoch, 'b')));
  await expect.poll(() => seen).toEqual(['a', 'nothing']);
  world.isAlive = true;
  writeFileSync(file, JSON.stringify(pulseOf(epoch, 'c')));
  await expect.poll(() => seen).toEqual(['a', 'nothing', 'c']);
  rmSync(root, { recursive: true });
  await following;
});
