import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type PersistedLoopState, STATE_VERSION, StatePersistenceConfig } from './persisted-state.ts';
import { errorOf, type Kept, kept, temporaryFolder } from './testing/kept-state.ts';

/** The document with one thing changed, put in its place behind the manager's back. */
function plant({ config }: Kept, text: string): void {
  mkdirSync(path.dirname(config.statePath), { recursive: true });
  writeFileSync(config.statePath, text);
}

test('A106 A115: the version and the defaults are those of the document', () => {
  expect(STATE_VERSION).toBe(1);
  expect(StatePersistenceConfig.default()).toEqual({
    enabled: true,
    statePath: '.ralph/state.json',
    backupDir: '.ralph/backups',
    autoSaveInterval: '30s',
    maxBackups: 10,
    compress: false,
    encrypt: false,
  });
});

test('A118: a new state is at iteration 0, running, with empty sections, and saved at once', async () => {
  const it = kept();
  const manager = it.manager();
  expect(await manager.initialize('one')).toBeUndefined();
  expect(it.stored()).toEqual(manager.getState());
  expect(it.stored()).toMatchObject({
    version: 1,
    loop_id: 'one',
    core: { status: 'running', iteration: 0, working_dir: process.cwd(), prompt_path: 'prompt.md', config_hash: '' },
    session: { current_session_id: null, session_started_at: null, session_iterations: 0, session_history: [] },
    progress: { iterations_since_progress: 0, last_progress_iteration: null, recent_scores: [] },
    tests: { failure_streak: 0, passing_tests: [], failing_tests: [], flaky_tests: [], recently_fixed: [] },
    stop_conditions: { condition_progress: {}, last_evaluation: null },
    metrics: { total_iterations: 0, total_execution_ms: 0 },
    custom: {},
  });
  expect(manager.isDirty()).toBe(false);
});

test('A117 A131 A141: the next manager of the same loop gets the state back, with values of the program', async () => {
  const it = kept();
  const first = it.manager();
  await first.initialize('one');
  await first.update((state) => {
    state.custom['mine'] = { deep: [1, 2] };
    state.core.iteration = 4;
  });
  const found = await it.manager().initialize('one');
  expect(found).toEqual(first.getState());
  expect(found).toMatchObject({ core: { iteration: 4 }, custom: { mine: { deep: [1, 2] } } });
});

test('A116: without persistence every operation is harmless and leaves nothing', async () => {
  const it = kept();
  const manager = it.manager({ enabled: false });
  expect(await manager.initialize('one')).toBeUndefined();
  await manager.updateCore('paused', 3);
  await manager.save();
  expect(await manager.load()).toBeUndefined();
  await using stopped = { [Symbol.asyncDispose]: () => manager.startAutoSave().stop() };
  expect(stopped).toBeDefined();
  expect((await errorOf(manager.backup())).kind).toBe('NoStateToBackup');
  await manager.clear();
  expect(manager.getState()).toBeUndefined();
  expect(readdirSync(path.dirname(path.dirname(it.config.statePath)))).toEqual([]);
});

test('A117: the state of another loop is not adopted, not overwritten and not cleared', async () => {
  const it = kept();
  await it.manager().initialize('one');
  const before = readFileSync(it.config.statePath);
  const other = it.manager();
  const error = await errorOf(other.initialize('two'));
  expect(error).toMatchObject({ kind: 'StateLoadFailed', code: 'DOCUMENT_OF_OTHER_LOOP' });
  expect(error.message).toContain('holds the state of loop one, not of two');
  await errorOf(other.clear());
  expect(readFileSync(it.config.statePath)).toEqual(before);
});

test('A119 A137: a newer version is refused with the expected and the found one, and never overwritten', async () => {
  const it = kept();
  const text = '{"version": 2, "loop_id": "one", "shape": "new"}';
  plant(it, text);
  const error = await errorOf(it.manager().initialize('one'));
  expect(error.details).toEqual({ kind: 'StateVersionMismatch', expected: 1, found: 2 });
  expect(readFileSync(it.config.statePath, 'utf8')).toBe(text);
});

test.each(['', '{"version": 1, "loop_i', 'no JSON at all', '{"version": 1, "loop_id": "one"}'])(
  'A121 A132: the damaged document %j is refused with path and cause, and stays as it is',
  async (text) => {
    const it = kept();
    plant(it, text);
    const error = await errorOf(it.manager().initialize('one'));
    expect(error.details).toMatchObject({ kind: 'StateLoadFailed', path: it.config.statePath });
    expect(error.message).toMatch(/is damaged: .+ It was left untouched\.$/);
    expect(readFileSync(it.config.statePath, 'utf8')).toBe(text);
    expect(readdirSync(path.dirname(it.config.statePath))).toEqual(['state.json']);
  },
);

test('A132: a damaged document is restored from the newest usable backup of the loop, and its bytes are kept', async () => {
  const it = kept();
  const first = it.manager();
  await first.initialize('one');
  await first.updateCore('running', 1);
  await first.backup();
  await first.updateCore('running', 2);
  const newest = await first.backup();
  writeFileSync(newest, 'damaged too');
  plant(it, '{"version": 1,');
  const found = await it.manager().initialize('one');
  expect(found?.core.iteration).toBe(1);
  expect(it.stored().core.iteration).toBe(1);
  const aside = readdirSync(path.dirname(it.config.statePath)).find((name) => name.startsWith('state.json.broken-'));
  expect(readFileSync(path.join(path.dirname(it.config.statePath), aside ?? ''), 'utf8')).toBe('{"version": 1,');
  expect(it.log).toContainEqual(
    expect.objectContaining({ level: 'warn', loopId: 'one', message: expect.stringContaining('restored') as string }),
  );
});

test('A132: a document that cannot be used is moved away on request, and the loop starts afresh', async () => {
  const it = kept();
  plant(it, 'damaged');
  const manager = it.manager();
  await errorOf(manager.initialize('one'));
  const aside = await manager.quarantine();
  expect(readFileSync(aside, 'utf8')).toBe('damaged');
  expect(await manager.initialize('one')).toBeUndefined();
  expect(it.stored().core.iteration).toBe(0);
});

test('A120: a document that another program damaged or replaced under a running manager is not overwritten', async () => {
  const it = kept();
  const manager = it.manager();
  await manager.initialize('one');
  for (const text of ['half a docu', '{"version": 3}']) {
    plant(it, text);
    await errorOf(manager.updateCore('paused', text.length));
    expect(readFileSync(it.config.statePath, 'utf8')).toBe(text);
    expect(manager.isDirty()).toBe(true);
  }
});

test('A120 A130 A136: saving refreshes the instant, creates the folder and writes pretty JSON that only the owner reads', async () => {
  const it = kept();
  let now = new Date('2026-11-18T08:00:00Z');
  const manager = it.manager({}, { now: () => now });
  await manager.initialize('one');
  now = new Date('2026-11-18T09:00:00Z');
  await manager.save();
  expect(manager.getState()?.saved_at).toBe('2026-11-18T09:00:00.000Z');
  expect(readFileSync(it.config.statePath, 'utf8')).toBe(`${JSON.stringify(manager.getState(), undefined, 2)}\n`);
  expect(statSync(it.config.statePath).mode & 0o777).toBe(0o600);
  expect(readdirSync(path.dirname(it.config.statePath))).toEqual(['state.json']);
});

test('A121: a state that cannot be written is an error that names path and cause, and the change is not lost', async () => {
  const it = kept();
  const manager = it.manager({ statePath: path.join(it.config.backupDir, 'taken/state.json') });
  mkdirSync(it.config.backupDir, { recursive: true });
  writeFileSync(path.join(it.config.backupDir, 'taken'), 'a file where a folder should be');
  const error = await errorOf(manager.initialize('one'));
  expect(['StateSaveFailed', 'StateLoadFailed']).toContain(error.kind);
  expect(error.message).toContain('taken');
});

test('A122 A138: backups carry the second in their names, and two of the same second do not overwrite each other', async () => {
  const it = kept();
  const manager = it.manager({}, { now: () => new Date('2026-11-18T10:15:30Z') });
  expect((await errorOf(manager.backup())).kind).toBe('NoStateToBackup');
  await manager.initialize('one');
  const first = await manager.backup();
  await manager.updateCore('running', 1);
  const second = await manager.backup();
  expect([first, second].map((file) => path.basename(file))).toEqual([
    'state_20261118_101530.json',
    'state_20261118_101530_2.json',
  ]);
  const iterations = [first, second].map(
    (file) => (JSON.parse(readFileSync(file, 'utf8')) as PersistedLoopState).core.iteration,
  );
  expect(iterations).toEqual([0, 1]);
});

test('A123 A133 A139: the oldest backups go first, by their names, and other files in the folder stay', async () => {
  const it = kept();
  let minute = 10;
  const manager = it.manager({ maxBackups: 2, compress: true }, { now: () => new Date(`2026-11-18T08:${minute}:00Z`) });
  await manager.initialize('one');
  mkdirSync(it.config.backupDir);
  writeFileSync(path.join(it.config.backupDir, 'notes.txt'), 'mine');
  for (minute = 10; minute < 14; minute += 1) await manager.backup();
  expect(readdirSync(it.config.backupDir).toSorted()).toEqual([
    'notes.txt',
    'state_20261118_081200.json.gz',
    'state_20261118_081300.json.gz',
  ]);
});

test('A126 A140: the auto-save saves what changed, only what changed, and stops when it is told to', async () => {
  const it = kept();
  const manager = it.manager({ autoSaveInterval: '1ms' });
  await manager.initialize('one');
  const { saved_at: savedAt } = it.stored();
  const autoSave = manager.startAutoSave();
  await manager.updateProgress(true, 1);
  await expect.poll(() => it.stored().progress.recent_scores).toEqual([1]);
  expect(it.stored().saved_at >= savedAt).toBe(true);
  await autoSave.stop();
  await manager.updateProgress(true, 2);
  expect(manager.isDirty()).toBe(true);
  await manager.startAutoSave().stop();
  expect(it.stored().progress.recent_scores).toEqual([1, 2]);
});

test('A126: an auto-save that fails is logged with the loop, ends nothing, and is tried again', async () => {
  const it = kept();
  const manager = it.manager({ autoSaveInterval: 1 });
  await manager.initialize('one');
  const good = readFileSync(it.config.statePath, 'utf8');
  plant(it, 'damaged');
  await manager.updateProgress(true, 1);
  using _autoSave = manager.startAutoSave();
  await expect
    .poll(() => it.log)
    .toContainEqual(
      expect.objectContaining({
        level: 'error',
        loopId: 'one',
        message: expect.stringMatching(/^The auto-save failed: /) as string,
      }),
    );
  plant(it, good);
  await expect.poll(() => manager.isDirty()).toBe(false);
  expect(it.stored().progress.recent_scores).toEqual([1]);
});

test('A127 A142: clearing leaves nothing in memory or on disk, backups included, and the next start is fresh', async () => {
  const it = kept();
  const manager = it.manager();
  await manager.initialize('one');
  await manager.updateCore('stopped', 9);
  await manager.backup();
  await manager.clear();
  expect(manager.getState()).toBeUndefined();
  expect(readdirSync(path.dirname(it.config.statePath))).toEqual([]);
  expect(readdirSync(it.config.backupDir)).toEqual([]);
  await manager.clear();
  expect(await manager.initialize('one')).toBeUndefined();
  expect(it.stored().core.iteration).toBe(0);
});

test('A136: two managers that write at the same time leave one complete document and no other file', async () => {
  const it = kept();
  const [one, other] = [it.manager(), it.manager()];
  await one.initialize('one');
  await other.initialize('one');
  await Promise.all(
    Array.from({ length: 10 }, (_, number) => [
      one.updateCore('running', number + 1),
      other.updateCore('paused', number),
    ]).flat(),
  );
  expect([one, other].map((manager) => manager.getState()?.core.iteration)).toContain(it.stored().core.iteration);
  expect(readdirSync(path.dirname(it.config.statePath))).toEqual(['state.json']);
});

test('A115: with "compress" the document and its backups are compressed; either form is read and replaced', async () => {
  const it = kept();
  const isCompressed = (file: string) => readFileSync(file).subarray(0, 2).equals(Buffer.of(0x1f, 0x8b));
  const plain = it.manager();
  await plain.initialize('one');
  await plain.updateCore('running', 1);
  const packed = it.manager({ compress: true });
  expect(await packed.initialize('one')).toMatchObject({ core: { iteration: 1 } });
  await packed.updateCore('running', 2);
  expect([isCompressed(it.config.statePath), isCompressed(await packed.backup())]).toEqual([true, true]);
  writeFileSync(it.config.statePath, readFileSync(it.config.statePath).subarray(0, -9));
  const again = it.manager();
  expect(await again.initialize('one')).toMatchObject({ core: { iteration: 2 } });
  await again.updateCore('running', 3);
  expect(it.stored().core.iteration).toBe(3);
});

const keyText = 'ralphd-key-1.Divkf6Xee05dnbhdkjeMu8VIkfNz9IngtXhI12_vYPg.04100374';
const otherKey = 'ralphd-key-1.ISpxuQ2eu4nnYlZ7sH89Swbo6mBohIJehbwsyyPybhI.363002d3';
const keys = () => ({ RALPHD_KEY: keyText });
const secret = 'the plan of the parser';

/** Every file below the folder of the state, as text. */
function allFiles({ config }: Kept): readonly (readonly [name: string, text: string])[] {
  const folder = path.dirname(path.dirname(config.statePath));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => [name, readFileSync(path.join(parentPath, name), 'latin1')] as const);
}

test('A115: with "encrypt" nothing of the state can be read without the key, also what was there before and the backups', async () => {
  const it = kept();
  const plain = it.manager();
  await plain.initialize('one');
  await plain.update((state) => {
    state.custom['note'] = secret;
  });
  await plain.save();
  await plain.backup();
  const env = keys();
  const first = it.manager({ encrypt: true, compress: true }, { env });
  expect(await first.initialize('one')).toMatchObject({ custom: { note: secret } });
  await first.updateCore('paused', 4);
  await first.backup();
  const texts = allFiles(it);
  expect(texts.filter(([, text]) => text.includes(secret) || text.includes('iterations_since'))).toEqual([]);
  expect(texts.map(([name]) => name).filter((name) => name.startsWith('state'))).toHaveLength(3);
  // It stays encrypted, whatever the next program asks for.
  const next = it.manager({}, { env });
  expect(await next.load()).toMatchObject({ core: { status: 'paused', iteration: 4 }, custom: { note: secret } });
  expect(await next.initialize('one')).toMatchObject({ core: { iteration: 4 } });
  await next.updateCore('running', 5);
  expect(readFileSync(it.config.statePath, 'latin1')).toMatch(/^\{"ralphd":"sealed"/);
  writeFileSync(it.config.statePath, 'damaged');
  expect(await it.manager({}, { env }).initialize('one')).toMatchObject({ core: { iteration: 4 } });
  await next.clear();
  expect(allFiles(it).filter(([name]) => !name.includes('broken'))).toEqual([]);
});

test('A115: without a key, with another one or without its record, an encrypted state is refused and stays as it is', async () => {
  const it = kept();
  const needed = await errorOf(it.manager({ encrypt: true }, { env: {} }).initialize('one'));
  expect(needed).toMatchObject({ code: 'KEY_NEEDED', hint: expect.stringContaining('RALPHD_KEY_FILE') as string });
  expect(allFiles(it)).toEqual([]);
  const env = keys();
  await it.manager({ encrypt: true }, { env }).initialize('one');
  const before = allFiles(it);
  const refused = async (with_: NodeJS.ProcessEnv, loopId = 'one') =>
    (await errorOf(it.manager({ encrypt: true }, { env: with_ }).initialize(loopId))).code;
  expect([await refused({}), await refused({ RALPHD_KEY: otherKey }), await refused(env, 'two')]).toEqual([
    'KEY_MISSING',
    'KEY_WRONG',
    'DOCUMENT_OF_OTHER_LOOP',
  ]);
  expect((await errorOf(it.manager({}, { env: {} }).clear())).code).toBe('KEY_MISSING');
  expect(allFiles(it)).toEqual(before);
  rmSync(path.join(path.dirname(it.config.statePath), 'key.json'));
  expect(await refused(env)).toBe('KEY_RECORD_DAMAGED');
  const name = path.join(path.dirname(it.config.statePath), 'backup.json');
  const error = await errorOf(it.manager({ encrypt: true, statePath: name }, { env }).initialize('one'));
  expect(error.code).toBe('DOCUMENT_NOT_ENCRYPTABLE');
});

test('A115: a key.json of another program is never replaced', async () => {
  const it = kept();
  const foreign = path.join(path.dirname(it.config.statePath), 'key.json');
  plant(it, '');
  rmSync(it.config.statePath);
  writeFileSync(foreign, '{"type": "service_account"}');
  const env = keys();
  expect((await errorOf(it.manager({ encrypt: true }, { env }).initialize('one'))).code).toBe(
    'DOCUMENT_NOT_ENCRYPTABLE',
  );
  expect(await it.manager({}, { env }).initialize('one')).toBeUndefined();
  expect(readFileSync(foreign, 'utf8')).toBe('{"type": "service_account"}');
});

test('A115: the key may be in a file that the configuration names, and a removed copy of its record comes back', async () => {
  const it = kept();
  const keyFile = path.join(temporaryFolder(), 'key');
  writeFileSync(keyFile, keyText, { mode: 0o600 });
  const manager = it.manager({ encrypt: true, keyFile }, { env: {} });
  await manager.initialize('one');
  rmSync(path.join(path.dirname(it.config.statePath), 'key.json'));
  await manager.updateCore('running', 2);
  // The record names the file from then on.
  expect(await it.manager({}, { env: {} }).initialize('one')).toMatchObject({ core: { iteration: 2 } });
});
