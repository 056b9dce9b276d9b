import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../files/testing/temporary-folder.ts';
import { factsOf, loopId, numbersOf, storeIn } from '../testing/stores.ts';

const storeModule = path.join(import.meta.dirname, '../index.ts');

/** A process of its own that opens the loop, records the given number and then stays. */
async function startOwner(folder: string, number: number): Promise<ChildProcess> {
  const program = `
    const { openLoopFolders } = await import(${JSON.stringify(storeModule)});
    const owner = { host: 'here', bootId: 'boot', pid: process.pid, startTime: '1' };
    const root = ${JSON.stringify(path.join(folder, '.ralph'))};
    const store = openLoopFolders({ root, owner, livenessOf: () => 'alive', now: () => new Date() });
    try {
      const loop = store.list().length > 0 ? store.open('${loopId}') : store.create('${loopId}');
      loop.append([{ type: 'number.noted', data: { number: ${number} } }]);
      console.log('recorded');
      setInterval(() => loop, 1000);
    } catch (error) {
      console.log(error.failure?.code ?? error.stack);
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout ?? child, 'data');
  return String(chunk).trim();
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('R14: kill -9 of the owner frees the loop at once, and the next owner has every acknowledged fact', async () => {
  const folder = temporaryFolder();
  const child = await startOwner(folder, 1);
  expect(await firstLine(child)).toBe('recorded');
  await kill(child);

  using loop = storeIn(folder).open(loopId);
  expect(loop.epoch).toBe(2);
  expect(numbersOf(loop.recovered.entries)).toEqual([1]);
});

test('R14, B133: a second owner is refused at once, and the refusal names the process that has the loop', async () => {
  const folder = temporaryFolder();
  const child = await startOwner(folder, 1);
  expect(await firstLine(child)).toBe('recorded');

  expect(() => storeIn(folder).open(loopId)).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ code: 'LOOP_LOCKED', exitCode: 6 }),
      message: `Loop ${loopId} is already being driven by process ${child.pid} on here.`,
    }),
  );
});

test('a refused second attempt in the same process does not loosen the lock of the first', async () => {
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  expect(() => storeIn(folder).open(loopId)).toThrow(/already being driven/);
  storeIn(folder).read(loopId);

  expect(await firstLine(await startOwner(folder, 2))).toBe('LOOP_LOCKED');
  expect(loop.append(factsOf(1))).toHaveLength(1);
});

test('a closed loop is free again, and closing twice does no harm', async () => {
  const folder = temporaryFolder();
  const first = storeIn(folder).create(loopId);
  first.close();
  using second = storeIn(folder).open(loopId);
  first.close();
  expect(() => first.append(factsOf(1))).toThrow(/was closed/);
  expect(storeIn(folder).read(loopId).owner?.epoch).toBe(2);
  expect(second.append(factsOf(1))).toHaveLength(1);
  expect(await firstLine(await startOwner(folder, 2))).toBe('LOOP_LOCKED');
});

test('an owner whose lock file was replaced stops before it writes', () => {
  const folder = temporaryFolder();
  using loop = storeIn(folder).create(loopId);
  const lock = path.join(loop.folder, 'lock');
  renameSync(lock, `${lock}.old`);
  writeFileSync(lock, '');
  expect(() => loop.append(factsOf(1))).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'OWNERSHIP_LOST' }) }),
  );
  expect(numbersOf(storeIn(folder).read(loopId).entries)).toEqual([]);
});

test('a loop whose owner is on another machine is taken over only when forced', () => {
  const folder = temporaryFolder();
  const elsewhere = { host: 'elsewhere', bootId: 'its boot', pid: 7, startTime: '1' };
  const left = storeIn(folder, { owner: elsewhere }).create(loopId);
  left.append(factsOf(1));
  const note = path.join(left.folder, 'owner.json');
  const owner = readFileSync(note);
  left.close();
  writeFileSync(note, owner); // It did not shut down cleanly, or still runs.

  const here = storeIn(folder, { livenessOf: () => 'unknown' });
  const since = here.read(loopId).owner?.since;
  expect(() => here.open(loopId)).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ code: 'LOOP_OWNER_UNKNOWN', exitCode: 6 }),
      message: `Loop ${loopId} has been driven by process 7 on elsewhere since ${since}; this machine cannot see whether that process still runs.`,
    }),
  );
  expect(here.read(loopId)).toMatchObject({ owner: { ...elsewhere, epoch: 1, liveness: 'unknown' }, lastSeq: 2 });
  using taken = here.open(loopId, { force: true });
  expect(taken.epoch).toBe(2);
  expect(numbersOf(taken.recovered.entries)).toEqual([1]);
});

test('a free lock means that its owner is dead when both had the same kernel, whatever the machine is called', () => {
  const folder = temporaryFolder();
  const left = storeIn(folder).create(loopId);
  const note = path.join(left.folder, 'owner.json');
  const renamed = JSON.stringify({ ...(JSON.parse(readFileSync(note, 'utf8')) as object), host: 'another name' });
  left.close();
  writeFileSync(note, renamed);
  using taken = storeIn(folder, { livenessOf: () => 'unknown' }).open(loopId);
  expect(taken.epoch).toBe(2);
});

test('a lock file that holds something else is an error that names it, not a free loop', () => {
  const folder = temporaryFolder();
  const loop = storeIn(folder).create(loopId);
  loop.close();
  writeFileSync(path.join(loop.folder, 'lock'), 'not a lock file of ours, long enough to be looked at'.repeat(100));
  expect(() => storeIn(folder).open(loopId)).toThrow(/lock cannot be read/);
});
