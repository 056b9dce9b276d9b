import { renameSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { noKeys } from './age.ts';
import { loopsIn, verifyBackups } from './fetch.ts';
import { createFolderTarget } from './folder-target.ts';
import { backupName, encodeManifest, parseManifest } from './manifest.ts';
import { encodeProgress, type Progress, parseProgress } from './progress.ts';
import { removeOldBackups } from './retention.ts';
import { createLoopFolder, loopId } from './testing/loop-folder.ts';
import { createMemoryTarget, failed } from './testing/memory-target.ts';
import { contentOf, push, restore, signal } from './testing/pushing.ts';

test('A134: what was backed up after any iteration is restored byte for byte', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  let before: Progress | undefined;
  for (let iteration = 0; iteration < 40; iteration += 1) {
    if (iteration > 0) loop.iterate();
    before = await push(loop.source(), { target, before });
  }
  const restored = contentOf(await restore(target));
  const kept = Object.entries(contentOf(loop.folder)).filter(([name]) => !/checkpoints.*0(?!39|38)../.test(name));
  expect(restored).toEqual(Object.fromEntries(kept));
  expect(Object.keys(restored)).toHaveLength(1 + 1 + 2 + 39 * 3);
});

test('what is sent for a backup does not depend on how old the loop is', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  let before: Progress | undefined;
  const costs: number[] = [];
  for (let iteration = 1; iteration <= 160; iteration += 1) {
    loop.iterate();
    before = await push(loop.source(), { target, before });
    costs.push(before.last?.bytes ?? 0);
  }
  expect(Math.max(...costs)).toBeLessThan(8_000);
});

test('a backup that fails at any call leaves the one before it, and the next one continues where it stopped', async () => {
  for (let failing = 1; failing < 12; failing += 1) {
    const [loop, target] = [createLoopFolder(), createMemoryTarget()];
    let kept: Progress | undefined = await push(loop.source(), { target });
    loop.iterate();
    loop.iterate();
    let calls = 0;
    target.fail = () => {
      calls += 1;
      if (calls === failing) throw failed('it is gone');
    };
    const save = (progress: Progress) => {
      kept = parseProgress(encodeProgress({ memory: progress }))['memory'];
    };
    const attempt = push(loop.source(), { target, before: kept, save, maxPartBytes: 200 });
    const isDone = await attempt.then(
      () => true,
      () => false,
    );
    target.fail = () => {};
    if (!isDone && target.objects.has(`${loopId}/manifests/000001-000000002.json`) === false) {
      expect(contentOf(await restore(target))['state.json'], `call ${failing}`).toBe('{"iteration":0}');
    }
    const sentBefore = target.sent.filter(({ name }) => name.includes('/packs/')).length;
    await push(loop.source(), { target, before: kept, maxPartBytes: 200 });
    expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
    if (failing > 8)
      expect(target.sent.filter(({ name }) => name.includes('/packs/')).length - sentBefore).toBeLessThan(8);
  }
});

test('two machines that continue the same loop never overwrite each other: the second one is refused and named', async () => {
  const [first, target] = [createLoopFolder(), createMemoryTarget()];
  const before = await push(first.source(), { target });
  const second = createLoopFolder(await restore(target));
  first.append('{"epoch":2,"on":"first"}', '0002-0001');
  second.append('{"epoch":2,"on":"second"}', '0002-0001');
  await push(second.source({ epoch: 2 }), { target });
  const content = new Map(target.objects);
  await expect(push(first.source({ epoch: 2 }), { target, before })).rejects.toMatchObject({
    failure: { code: 'BACKUP_DIVERGED' },
  });
  await expect(push(first.source({ epoch: 1 }), { target, before })).rejects.toMatchObject({
    failure: { code: 'BACKUP_DIVERGED' },
  });
  for (const [name, bytes] of content) expect(target.objects.get(name)).toEqual(bytes);
});

test('two machines that create the same backup at the same moment: one succeeds, the other one is refused', async () => {
  const target = createMemoryTarget();
  const [first, second] = [createLoopFolder(), createLoopFolder()];
  second.append('{"on":"second"}');
  const results = await Promise.allSettled([push(first.source(), { target }), push(second.source(), { target })]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await verifyBackups({ target, signal }, loopId, noKeys)).toMatchObject({
    intact: ['000001-000000001'],
    damaged: [],
  });
});

test('a machine that lost its progress sends everything again under the next number', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  await push(loop.source(), { target });
  loop.iterate();
  const { last } = await push(loop.source(), { target });
  expect(last?.name).toBe('000001-000000002');
  expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
});

test('a key that was changed is backed up although no fact was recorded, and what is the same is not sent again', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  loop.put('key.json', 'wrapped with the old key');
  const first = await push(loop.source(), { target });
  expect(await push(loop.source(), { target, before: first })).toBe(first);
  loop.put('key.json', 'wrapped with the new key');
  const second = await push(loop.source(), { target, before: first });
  expect(second.last?.name).not.toBe(first.last?.name);
  expect(contentOf(await restore(target))['key.json']).toBe('wrapped with the new key');
  expect(await push(loop.source(), { target, before: second })).toBe(second);
});

test('a loop that was restored to an earlier state is sent as a whole', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  loop.iterate();
  const before = await push(loop.source(), { target });
  const journal = path.join(loop.folder, 'journal', '0001-0001.jsonl');
  truncateSync(journal, 10);
  rmSync(path.join(loop.folder, 'iterations'), { recursive: true });
  loop.append('{"again":true}', '0002-0001');
  loop.put('iterations/001/attempt-1/prompt', 'another prompt');
  await push(loop.source({ epoch: 2 }), { target, before });
  expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
});

test('a file that is longer than an object is split and put together again', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  loop.iterate();
  loop.put('iterations/001/attempt-1/stdout', Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n'));
  for (let seq = 2; seq < 100; seq += 1) loop.append(JSON.stringify({ seq, text: 'a fact' }));
  await push(loop.source(), { target, maxPartBytes: 100 });
  expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
});

test('an encrypted target never gets clear text, and only the key opens it', async () => {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  loop.iterate();
  await push(loop.source(), { target, sealing: { recipients: [await identityToRecipient(identity)] } });
  for (const bytes of target.objects.values())
    expect(Buffer.from(bytes).toString('latin1')).not.toMatch(/prompt|output of/);
  await expect(restore(target)).rejects.toMatchObject({ failure: { code: 'BACKUP_SEALED' } });
  expect(contentOf(await restore(target, { identities: [identity] }))).toEqual(contentOf(loop.folder));
  const reading = { target, signal };
  expect((await verifyBackups(reading, loopId, noKeys)).isOpened).toBe(false);
  expect((await verifyBackups(reading, loopId, { identities: [identity] })).isOpened).toBe(true);
});

test('every object that is changed, exchanged, shortened or missing is noticed, and so is a manifest', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  let before: Progress | undefined;
  for (let backup = 0; backup < 18; backup += 1) {
    loop.iterate();
    before = await push(loop.source(), { target, before });
  }
  const reading = { target, signal };
  await removeOldBackups(reading, loopId, { keep: 1, keepDays: 0, nowMs: 10 * 86_400_000 });
  const whole = new Map(target.objects);
  const names = [...whole.keys()].filter((name, index) => !name.includes('/packs/') || index % 15 === 0);
  expect(names.some((name) => name.includes('/pages/'))).toBe(true);
  const other = [...whole.entries()].find(([name]) => name.includes('/packs/'))?.[1] ?? Buffer.alloc(0);
  for (const name of names) {
    const bytes = Buffer.from(whole.get(name) ?? '');
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(20) ^ 0x41, 20);
    for (const harm of [
      flipped,
      bytes.subarray(0, -2),
      Buffer.concat([bytes, bytes]),
      bytes.equals(other) ? flipped : other,
      undefined,
    ]) {
      target.objects.clear();
      for (const [each, content] of whole) target.objects.set(each, content);
      if (harm === undefined) target.objects.delete(name);
      else target.objects.set(name, harm);
      if (harm === undefined && name.includes('/manifests/')) continue;
      await expect(restore(target), name).rejects.toThrow(/cannot be used|too long/);
    }
  }
});

test('a manifest that points elsewhere is refused', async () => {
  const [loop, target] = [createLoopFolder(), createMemoryTarget()];
  await push(loop.source(), { target });
  const name = '000001-000000001';
  const bytes = Buffer.from(target.objects.get(`${loopId}/manifests/${name}.json`) ?? '');
  const good = parseManifest(bytes, { loopId, name });
  const hash = 'a'.repeat(64);
  const evil = [
    '../ralph-other-00000001/packs/x',
    `../../packs/${hash}.tar.gz`,
    `/packs/${hash}.tar.gz`,
    `manifests/${name}.json`,
    `packs/..%2f${hash}.tar.gz`,
    '',
  ];
  for (const each of evil) {
    const ref = { name: each, bytes: 1, size: 1 };
    for (const part of [{ current: ref }, { levels: [[ref]] }]) {
      expect(() => parseManifest(encodeManifest({ ...good, ...part }), { loopId, name }), each).toThrow(/incomplete/);
    }
  }
  const huge = { ...good.current, bytes: 10 * 1024 ** 3 };
  expect(() => parseManifest(encodeManifest({ ...good, current: huge }), { loopId, name })).toThrow(/incomplete/);
  const shared = { name: `packs/${hash}.tar.gz`, bytes: 1, size: 1 };
  expect(() => parseManifest(encodeManifest({ ...good, current: shared }), { loopId, name })).toThrow(/another one/);
  const foreign = encodeManifest({ ...good, loopId: 'ralph-other-00000001' });
  expect(() => parseManifest(foreign, { loopId, name })).toThrow(/another loop/);
  expect(() => parseManifest(bytes, { loopId, name: backupName({ epoch: 1, number: 2 }) })).toThrow(/another backup/);
  const text = bytes.toString();
  expect(() => parseManifest(Buffer.from(text.replace('"seq":1', '"seq":2')), { loopId, name })).toThrow(/damaged/);
  const newer = Buffer.from(text.replace('"version":1', '"version":2'));
  expect(() => parseManifest(newer, { loopId, name })).toThrow(/newer version/);
  // A page that contains itself, or an object in the place of a page.
  target.objects.set(
    `${loopId}/manifests/000001-000000002.json`,
    encodeManifest({
      ...good,
      number: 2,
      current: { ...good.current, name: good.current.name.replace('-000000001-', '-000000002-') },
      levels: [[], [...(good.levels[0] ?? [])]],
    }),
  );
  await expect(restore(target)).rejects.toThrow(/not in order/);
});

test('a folder keeps backups, and what a cut-off write left in it is never read', async () => {
  const [loop, folder] = [createLoopFolder(), temporaryFolder()];
  const target = createFolderTarget({ name: 'nas', folder });
  const reading = { target, signal };
  const before = await push(loop.source(), { target });
  loop.iterate();
  await push(loop.source(), { target, before });
  expect(await loopsIn(reading)).toEqual([loopId]);
  expect(contentOf(await restore(target))).toEqual(contentOf(loop.folder));
  expect(await verifyBackups(reading, loopId, noKeys)).toMatchObject({
    intact: ['000001-000000001', '000001-000000002'],
    damaged: [],
  });
  renameSync(path.join(folder, loopId, 'packs'), path.join(folder, loopId, 'elsewhere'));
  const { damaged } = await verifyBackups(reading, loopId, noKeys);
  expect(damaged).toHaveLength(2);
  expect(damaged[0]?.why).toMatch(/is missing/);
});

test('progress that is damaged or of another target counts as none', () => {
  for (const text of [
    undefined,
    '',
    '{',
    '[]',
    '{"version":2,"targets":{}}',
    '{"version":1,"targets":{"a":1,"b":{"place":1}}}',
  ]) {
    expect(parseProgress(text)).toEqual({});
  }
});
