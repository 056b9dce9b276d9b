import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { noKeys } from './age.ts';
import { backupsOf, verifyBackups } from './fetch.ts';
import type { Progress } from './progress.ts';
import { removeOldBackups, sweepAbandoned } from './retention.ts';
import type { BackupTarget } from './target.ts';
import { createLoopFolder, type LoopFolderOfTest, loopId } from './testing/loop-folder.ts';
import { createMemoryTarget, failed, type MemoryTarget } from './testing/memory-target.ts';
import { contentOf, push, restore, signal } from './testing/pushing.ts';

test('old backups are removed with what only they need; the newest ones, and those of the last days, stay', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  let before: Progress | undefined;
  for (let backup = 0; backup < 6; backup += 1) {
    loop.iterate();
    before = await push(loop.source(), { target, before });
  }
  const reading = { target, signal };
  expect(await removeOldBackups(reading, loopId, { keep: 2, keepDays: 1, nowMs: 2_000 })).toEqual([]);
  const nowMs = 10 * 86_400_000;
  expect(await removeOldBackups(reading, loopId, { keep: 2, keepDays: 1, nowMs })).toHaveLength(4);
  expect(await removeOldBackups(reading, loopId, { keep: 0, keepDays: 0, nowMs })).toHaveLength(1);
  expect(await backupsOf(reading, loopId)).toEqual(['000001-000000006']);
  expect([...target.objects.keys()].filter((name) => name.includes('/current/'))).toHaveLength(1);
  expect(contentOf(await restore(target))['iterations/001/attempt-1/prompt']).toBe('prompt of 1');
});

/** A backup that stores everything but its manifest, and whose machine is gone then. */
async function abandon(loop: LoopFolderOfTest, target: MemoryTarget, maxPartBytes: number): Promise<void> {
  target.fail = (call, name) => {
    if (call === 'create' && name.includes('/manifests/')) throw failed('it is gone');
  };
  await expect(push(loop.source(), { target, maxPartBytes })).rejects.toThrow('it is gone');
  target.fail = () => {};
}

test('what no backup needs is swept, but never what a backup under way may need', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  const reading = { target, signal };
  for (let iteration = 0; iteration < 20; iteration += 1) loop.iterate();
  let before = await push(loop.source(), { target });
  const needed = [...target.objects.keys()];
  await abandon(loop, target, 100);
  const abandoned = [...target.objects.keys()].filter((name) => !needed.includes(name));
  expect(abandoned.filter((name) => name.includes('/pages/')).length).toBeGreaterThan(0);
  // Their number is not taken yet: somebody may be making that backup.
  expect(await sweepAbandoned(reading, loopId)).toEqual([]);
  loop.iterate();
  before = await push(loop.source(), { target, before });
  expect(await sweepAbandoned(reading, loopId)).toEqual([]);
  loop.iterate();
  await push(loop.source(), { target, before });
  const swept = await sweepAbandoned(reading, loopId);
  expect(swept.map((name) => `${loopId}/${name}`).toSorted()).toEqual(abandoned.toSorted());
  expect(await sweepAbandoned(reading, loopId)).toEqual([]);
  expect((await verifyBackups(reading, loopId, noKeys)).damaged).toEqual([]);
  expect(contentOf(await restore(target))).toMatchObject({ 'iterations/022/attempt-1/prompt': 'prompt of 22' });
});

test('nothing is swept while a backup cannot be read', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  await abandon(loop, target, 100);
  let before: Progress | undefined;
  for (let backup = 0; backup < 3; backup += 1) {
    loop.iterate();
    before = await push(loop.source(), { target, before });
  }
  const manifest = `${loopId}/manifests/000001-000000002.json`;
  const bytes = target.objects.get(manifest) ?? Buffer.alloc(0);
  target.objects.set(manifest, bytes.subarray(1));
  expect(await sweepAbandoned({ target, signal }, loopId)).toEqual([]);
  target.objects.set(manifest, bytes);
  expect(await sweepAbandoned({ target, signal }, loopId)).not.toEqual([]);
});

test('a machine whose stored objects were swept before its backup was finished sends them again', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  let kept = await push(loop.source(), { target });
  loop.iterate();
  target.fail = (call, name) => {
    if (call === 'create' && name.includes('/current/')) throw failed('it is gone');
  };
  await expect(push(loop.source(), { target, before: kept, save: (next) => (kept = next) })).rejects.toThrow(
    'it is gone',
  );
  target.fail = () => {};
  for (const name of target.objects.keys()) if (name.includes('/000001-000000002-')) target.objects.delete(name);
  await push(loop.source(), { target, before: kept });
  expect((await verifyBackups({ target, signal }, loopId, noKeys)).damaged).toEqual([]);
  expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
});

/** A number from 0 up to below `limit`, the same in every run. */
function createChances(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % limit;
  };
}

interface MachineOfTest {
  readonly loop: LoopFolderOfTest;
  readonly epoch: number;
  progress: Progress | undefined;
}

/** A target that is used by others between the calls of a machine, and that fails now and then. */
function disturbed(target: MemoryTarget, chance: (limit: number) => number): BackupTarget {
  const disturb = async () => {
    if (chance(12) === 0) throw failed('it is gone');
    // A sweep, and one that is cut off.
    target.fail = chance(2) === 0 ? () => {} : (call) => (call === 'remove' ? failNow() : undefined);
    if (chance(4) === 0) await sweepAbandoned({ target, signal }, loopId).catch(() => {});
    target.fail = () => {};
  };
  return {
    ...target,
    async create(name, bytes, own) {
      await disturb();
      return await target.create(name, bytes, own);
    },
  };
}

function failNow(): never {
  throw failed('it is gone');
}

test('whoever backs up, fails, starts over, prunes and sweeps at the same time, every backup stays whole', async () => {
  let [made, swept] = [0, 0];
  for (const seed of [2, 5, 7, 8]) {
    const chance = createChances(seed);
    const target = createMemoryTarget();
    const first: MachineOfTest = { loop: createLoopFolder(), epoch: 1, progress: undefined };
    // A copy of the folder on another machine, without its progress.
    const folder = temporaryFolder();
    cpSync(first.loop.folder, folder, { recursive: true });
    const second: MachineOfTest = {
      loop: { ...first.loop, folder, source: (more) => ({ ...first.loop.source(more), folder }) },
      epoch: 1 + (seed % 2),
      progress: undefined,
    };
    for (let step = 0; step < 12; step += 1) {
      const machine = chance(4) === 0 ? second : first;
      const { loop, epoch, progress } = machine;
      if (machine === first && chance(2) === 0) loop.iterate();
      if (chance(6) === 0) cpSync(first.loop.folder, folder, { recursive: true });
      const before = chance(8) === 0 ? undefined : progress;
      const save = (next: Progress) => {
        machine.progress = next;
      };
      try {
        await push(loop.source({ epoch }), {
          target: disturbed(target, chance),
          before,
          save,
          maxPartBytes: 80 + chance(200),
        });
        made += 1;
      } catch (error) {
        expect(error, `seed ${seed}`).toBeInstanceOf(LoopError);
      }
      if (chance(5) === 0) await removeOldBackups({ target, signal }, loopId, { keep: 2, keepDays: 0, nowMs: 1e12 });
      swept += (await sweepAbandoned({ target, signal }, loopId)).length;
      const { damaged } = await verifyBackups({ target, signal }, loopId, noKeys);
      expect(damaged, `seed ${seed}, step ${step}`).toEqual([]);
    }
  }
  expect(made).toBeGreaterThan(15);
  expect(swept).toBeGreaterThan(5);
});
