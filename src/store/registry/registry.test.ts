import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../files/index.ts';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { sqliteLock } from '../lock/sqlite-lock.ts';
import { code } from '../testing/failing.ts';
import { foreignLoops, readRegistry, writeRegistry } from './registry-file.ts';
import { type LockedRegistry, withRegistry } from './registry-lock.ts';

const now = () => new Date('2026-11-16T10:00:00.000Z');

function registryIn(root: string, running: readonly number[] = []): LockedRegistry {
  mkdirSync(root, { recursive: true });
  const isRunning = (pid: number) => running.includes(pid);
  return { files: nodeFiles, root, lock: sqliteLock, now, pid: 4242, isRunning };
}

test('B089: only one process at a time changes the registry, and one that waits too long gets an error', () => {
  const registry = registryIn(temporaryFolder());
  const inside = withRegistry(registry, 1_000, () => {
    expect(() => withRegistry(registry, 30, () => 'never')).toThrow(code('REGISTRY_BUSY'));
    return 'done';
  });
  expect(inside).toBe('done');
  expect(withRegistry(registry, 0, () => 'again')).toBe('again');
});

test('the lock is free again when what was done under it failed', () => {
  const registry = registryIn(temporaryFolder());
  const fail = () => {
    throw new Error('failed');
  };
  expect(() => withRegistry(registry, 0, fail)).toThrow('failed');
  expect(withRegistry(registry, 0, () => 'free')).toBe('free');
});

test('a link where the lock should be is refused', () => {
  const root = temporaryFolder();
  const registry = registryIn(root);
  symlinkSync('/dev/null', path.join(root, 'registry.lock'));
  expect(() => withRegistry(registry, 0, () => 'never')).toThrow(code('UNSAFE_PATH'));
});

test('in .aiwg/ralph the lock of AIWG is held, in its form, for as long as ours is', () => {
  const root = path.join(temporaryFolder(), '.aiwg', 'ralph');
  const registry = registryIn(root);
  const file = path.join(root, 'registry.json.lock');
  withRegistry(registry, 0, () => {
    const lease = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(lease).toMatchObject({ pid: 4242, leaseExpiry: now().getTime() + 30_000 });
  });
  expect(readdirSync(root)).toEqual(['registry.lock']);
});

test('a lease of a live AIWG process is respected; one that ran out, is garbage or lost its process is not', () => {
  const root = path.join(temporaryFolder(), '.aiwg', 'ralph');
  const registry = registryIn(root, [77]);
  const file = path.join(root, 'registry.json.lock');
  const later = now().getTime() + 10_000;
  writeFileSync(file, JSON.stringify({ pid: 77, leaseExpiry: later }));
  expect(() => withRegistry(registry, 0, () => 'never')).toThrow(code('REGISTRY_BUSY'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: 77 });

  for (const stale of [
    'garbage',
    JSON.stringify({ pid: 77, leaseExpiry: 5 }),
    JSON.stringify({ pid: 78, leaseExpiry: later }),
  ]) {
    writeFileSync(file, stale);
    expect(
      withRegistry(registry, 1_000, () => 'held'),
      stale,
    ).toBe('held');
  }
});

test('a registry is private and whole; one that cannot be read is kept before it is replaced', () => {
  const root = temporaryFolder();
  const registry = registryIn(root);
  expect(readRegistry(registry)).toEqual({ kind: 'missing' });
  writeFileSync(path.join(root, 'registry.json'), '{"half":');
  expect(readRegistry(registry)).toEqual({ kind: 'damaged' });
  writeRegistry(registry, { version: '2.0.0' });
  expect(readRegistry(registry)).toEqual({ kind: 'document', document: { version: '2.0.0' } });
  const broken = readdirSync(root).find((name) => name.endsWith('.broken')) ?? '';
  expect(readFileSync(path.join(root, broken), 'utf8')).toBe('{"half":');
});

test('loops that another program made are distinguished from ours, and from one that was only being made', () => {
  const root = temporaryFolder();
  const registry = registryIn(root);
  expect(foreignLoops(registry)).toEqual({ foreign: [], ours: 0 });
  for (const name of ['ralph-half-00000001', 'ralph-theirs-00000002', 'notes']) {
    mkdirSync(path.join(root, 'loops', name), { recursive: true });
  }
  writeFileSync(path.join(root, 'loops', 'ralph-theirs-00000002', 'state.json'), '{}');
  const { foreign, ours } = foreignLoops(registry);
  expect([...foreign].sort()).toEqual(['notes', 'ralph-theirs-00000002']);
  expect(ours).toBe(1);
});
