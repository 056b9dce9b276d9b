import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema, encodeConfig, type Fact } from '../../protocol/index.ts';
import { createRecorder } from '../../runner/index.ts';
import type { OpenLoop } from '../../store/index.ts';
import { examineLoop } from '../examine-loop.ts';
import { thisMachine } from '../machine.ts';
import { recoverLoop } from '../recover-loop.ts';
import { openStore } from '../stores.ts';
import { own } from './file-loop-store.ts';

const loopId = 'ralph-fix-a1b2c3d4';
const recovered: Fact = { type: 'loop.recovered', data: { problems: [] } };
const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'ended by the user', verified: false, elapsedMs: 0 },
};

function createPlace() {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-file-loop-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  return { workingDirectory, root: path.join(workingDirectory, '.ralph') };
}

function started(workingDirectory: string): Fact {
  const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
  const config = encodeConfig(configSchema.parse({}));
  const origin = { loopId, uuid, task: 'x', agent: 'command', workingDirectory, startedBy: 'user' } as const;
  return { type: 'loop.started', data: { ...origin, config, configHash: 'hash', checks: [] } };
}

/** The status that the loop has on disk at each refresh of the registry. */
interface Refreshes {
  statuses: string[];
  fails: boolean;
}

/** A loop that was started, and the folder it is in. */
async function startedLoop(adapt: (open: OpenLoop) => OpenLoop = (open) => open) {
  const place = createPlace();
  const refreshes: Refreshes = { statuses: [], fails: false };
  const registry = {
    whileLocked: async <Result>(action: () => Promise<Result>) => await action(),
    refresh: () => {
      if (refreshes.fails) throw new Error('no room');
      refreshes.statuses.push(stateIn(owned.folder).status);
    },
  };
  const owned = own(adapt(openStore(place).create(loopId)), { registry, machine: thisMachine });
  onTestFinished(() => owned.close());
  const recorder = createRecorder({ loop: owned, observe: owned.observe });
  await recorder.write([started(place.workingDirectory)]);
  return { place, owned, recorder, refreshes };
}

function replaceLock(folder: string): void {
  renameSync(path.join(folder, 'lock'), path.join(folder, 'lock.old'));
  writeFileSync(path.join(folder, 'lock'), '');
}

test('an append that finds another lock loses the lease, and nothing is written from then on', async () => {
  const { owned, place } = await startedLoop();
  replaceLock(owned.folder);
  const lost = expect.objectContaining({ failure: expect.objectContaining({ code: 'OWNERSHIP_LOST' }) as unknown });
  await expect(owned.append([recovered])).rejects.toEqual(lost);
  expect(owned.lease.lost.reason).toEqual(lost);
  renameSync(path.join(owned.folder, 'lock.old'), path.join(owned.folder, 'lock'));
  await expect(owned.append([recovered])).rejects.toEqual(lost);
  expect(
    openStore(place)
      .read(loopId)
      .entries.map(({ type }) => type),
  ).not.toContain('loop.recovered');
});

test('a heartbeat notices a lost lease while nothing is written', async () => {
  const { owned } = await startedLoop();
  owned.heartbeat();
  expect(owned.lease.lost.aborted).toBe(false);
  replaceLock(owned.folder);
  owned.heartbeat();
  expect(owned.lease.lost.aborted).toBe(true);
});

test('a full disk is trouble that comes, ends and comes again', async () => {
  const disk = { isFull: false };
  const { owned } = await startedLoop((open) =>
    Object.defineProperty(Object.create(open) as OpenLoop, 'isDiskFull', { get: () => disk.isFull }),
  );
  const troubles: (string | undefined)[] = [];
  using _listener = owned.onTrouble((trouble) => troubles.push(trouble?.code));
  for (const isFull of [false, true, true, false, true]) {
    disk.isFull = isFull;
    await owned.append([recovered]);
  }
  expect(troubles).toEqual(['DISK_FULL', undefined, 'DISK_FULL']);
  using _late = owned.onTrouble((trouble) => troubles.push(`late ${trouble?.code}`));
  expect(troubles.at(-1)).toBe('late DISK_FULL');
});

test('what is stored about a full disk names the next step, but no command of a single face', async () => {
  const { owned } = await startedLoop((open) =>
    Object.defineProperty(Object.create(open) as OpenLoop, 'isDiskFull', { get: () => true }),
  );
  await owned.append([recovered]);
  let message = '';
  using _listener = owned.onTrouble((trouble) => {
    message = trouble?.message ?? '';
  });
  expect(message).toMatch(/ is full, .* Free some space, then resume the loop\.$/u);
  expect(message).not.toContain('ralphd resume');
});

test('doctor names a state.json from before the end of its loop, and recover brings it up to date', async () => {
  const { place, owned } = await startedLoop();
  await owned.append([ended]);
  await owned.close();
  const journal = path.join(owned.folder, 'journal');
  const { findings } = examineLoop(place, loopId);
  expect(findings).toMatchObject([
    { level: 'problem', where: path.join(owned.folder, 'state.json'), fix: `ralphd recover ${loopId}` },
  ]);
  expect(readdirSync(journal)).toHaveLength(1);
  await recoverLoop(place, loopId, { dryRun: false, markCrashed: false });
  expect(examineLoop(place, loopId).findings).toEqual([]);
});

function stateIn(folder: string) {
  return JSON.parse(readFileSync(path.join(folder, 'state.json'), 'utf8')) as {
    readonly loop_id: string;
    readonly status: string;
    readonly last_updated: string;
    readonly ralphd: { readonly seq: number };
  };
}

test('A124 A140 R21: the snapshot is written with each fact that changes the loop, and not when nothing has changed', async () => {
  const { owned, recorder } = await startedLoop();
  expect(stateIn(owned.folder).ralphd.seq).toBe(recorder.loop.journal.seq);
  const before = readFileSync(path.join(owned.folder, 'state.json'));
  owned.heartbeat();
  expect(readFileSync(path.join(owned.folder, 'state.json'))).toEqual(before);
  await recorder.write([ended]);
  expect(stateIn(owned.folder)).toMatchObject({ status: 'aborted', ralphd: { seq: recorder.loop.journal.seq } });
});

test('A126 R21: a heartbeat refreshes the registry; when that fails it is a problem, and the loop continues', async () => {
  const { owned, refreshes } = await startedLoop();
  refreshes.statuses = [];
  owned.heartbeat();
  expect(refreshes.statuses).toEqual(['running']);
  refreshes.fails = true;
  owned.heartbeat();
  expect(owned.problems.messages).toEqual([expect.stringMatching(/^The registry was not updated: /)]);
  await expect(owned.append([recovered])).resolves.toHaveLength(1);
});

test('A118 A168 A170: a new loop and each change of its status are in state.json before they are in the registry', async () => {
  const { owned, recorder, refreshes } = await startedLoop();
  expect(stateIn(owned.folder)).toMatchObject({ loop_id: loopId, status: 'running' });
  await recorder.write([{ type: 'loop.paused', data: { reason: 'user_pause', message: '', elapsedMs: 0 } }]);
  await recorder.write([ended]);
  expect(refreshes.statuses).toEqual(['running', 'paused', 'aborted']);
});

test('A169: an update reaches the document with its date, and one of an ended loop changes nothing', async () => {
  const { owned, recorder } = await startedLoop();
  const [paused] = await recorder.write([
    { type: 'loop.paused', data: { reason: 'user_pause', message: '', elapsedMs: 0 } },
  ]);
  expect(stateIn(owned.folder)).toMatchObject({ status: 'paused', last_updated: paused?.at });
  const [over] = await recorder.write([ended]);
  expect(stateIn(owned.folder)).toMatchObject({ status: 'aborted', last_updated: over?.at });
  await recorder.write([{ type: 'loop.resumed', data: {} }]);
  expect(stateIn(owned.folder)).toMatchObject({ status: 'aborted', last_updated: over?.at });
});
