import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/app/index.ts';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { ask, loopFolder, onlyId, pathIn, pausedProject, readJson, writeWaitingAgent } from '../support/loop-files.ts';
import {
  createProject,
  type Ended,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  loopIds,
  stateOf,
} from '../support/project.ts';

test('A122, A138: a pause and an end leave a backup, and the command makes another', async () => {
  const project = await pausedProject(1);
  expect(readdirSync(pathIn(project, 'backups'))).toHaveLength(1);
  const dry = await ask(project, 'backup', '--dry-run');
  expect(dry).toMatchObject({ loopId: onlyId(project), dryRun: true, removed: [] });
  expect(readdirSync(pathIn(project, 'backups'))).toHaveLength(1);
  const made = await ask(project, 'backup');
  expect(readFileSync(String(made['file']))).toEqual(readFileSync(pathIn(project, 'state.json')));
  expect(readdirSync(pathIn(project, 'backups'))).toHaveLength(2);
  rmSync(pathIn(project, 'state.json'));
  const refused = await project.ralphd('backup', '--json');
  expect(refused.code).toBe(1);
  expect(endLine(refused)).toMatchObject({ code: 'NO_STATE_TO_BACKUP' });
});

test('A115, A123: compress and maxBackups of the configuration are kept to', async () => {
  const project = await pausedProject(1, 'persistence: { compress: true, maxBackups: 2 }\n');
  for (let count = 0; count < 3; count += 1) await ask(project, 'backup');
  const names = readdirSync(pathIn(project, 'backups'));
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^state_\d{8}_\d{6}(_\d+)?\.json\.gz$/);
  const state = pathIn(project, 'state.json');
  expect(readFileSync(state).subarray(0, 2)).toEqual(Buffer.of(0x1f, 0x8b));
  expect(await ask(project, 'status')).toMatchObject({ status: 'paused', iteration: 1 });
  writeFileSync(state, readFileSync(state).subarray(0, -20));
  expect((await project.ralphd('recover')).code).toBe(0);
  expect(gunzipSync(readFileSync(state)).toString()).toContain('"status": "paused"');
});

test('R22 B093: restore goes back to a checkpoint, keeps what came later, and the loop runs on from there', async () => {
  const project = await pausedProject(3);
  const id = onlyId(project);
  const dry = await ask(project, 'restore', id, '--from', 'iteration-001.json.gz', '--dry-run');
  expect(dry).toMatchObject({ status: 'running', iteration: 1, superseded: [] });
  expect(stateOf(project)['iteration']).toBe(3);

  const done = await ask(project, 'restore', id, '--from', 'iteration-001.json.gz');
  expect(done).toMatchObject({ status: 'running', iteration: 1, supersededFacts: dry['supersededFacts'] });
  for (const name of done['superseded'] as readonly string[])
    expect(existsSync(pathIn(project, name)), name).toBe(true);
  expect(done['superseded']).toContainEqual(expect.stringMatching(/^iterations\/003\/attempt-1\..*\.superseded$/));

  const resumed = await project.ralphd('resume', id, '-n', '2', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'paused', reason: 'max_iterations', iterations: 2 });
  const doctor = await project.ralphd('doctor');
  expect(doctor.code, doctor.stdout).toBe(0);
});

test('restore refuses a live owner, an ended loop, a missing file and a command without --from', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.begin(runOf());
  await eventually(() => project.has('started')).toBe(true);
  const id = onlyId(project);
  const expectRefusal = (ended: Ended, code: number, name: string) => {
    expect(ended.code).toBe(code);
    expect(endLine(ended)['code']).toBe(name);
  };
  await ask(project, 'backup', id);
  const from = ['--from', 'latest', '--json'];
  expectRefusal(await project.ralphd('restore', id, ...from), 6, 'LOOP_LOCKED');
  expectRefusal(await project.ralphd('restore', id, ...from, '--dry-run'), 6, 'LOOP_LOCKED');
  expectRefusal(await project.ralphd('restore', id, '--json'), 64, 'MISSING_ARGUMENT');
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
  expectRefusal(await project.ralphd('restore', id, ...from), 64, 'RESTORE_OF_ENDED_LOOP');
  expectRefusal(await project.ralphd('restore', id, '--from', 'nothing.json', '--json'), 64, 'RESTORE_REFUSED');
  expect(stateOf(project)['status']).toBe('completed');
});

test('A132: recover says what it finds, rebuilds from a checkpoint, and has nothing to do a second time', async () => {
  const project = await pausedProject(2);
  rmSync(pathIn(project, 'backups'), { recursive: true });
  writeFileSync(pathIn(project, 'state.json'), '{"version":"2.0.0"');
  const dry = await ask(project, 'recover', '--dry-run');
  expect(dry).toMatchObject({ status: 'paused', iteration: 2, source: { kind: 'checkpoint' } });
  expect(project.read(`${loopFolder(project)}/state.json`)).toBe('{"version":"2.0.0"');

  const done = await ask(project, 'recover');
  expect(done).toMatchObject({ source: { kind: 'checkpoint' }, done: dry['done'] });
  expect(stateOf(project)).toMatchObject({ status: 'paused', iteration: 2 });
  expect(readdirSync(pathIn(project)).some((name) => name.startsWith('state.json.broken-'))).toBe(true);
  expect(await ask(project, 'recover')).toMatchObject({ source: { kind: 'snapshot' }, problems: [], done: [] });
});

test('R22: with only its journal left, a loop gets its state, its records and its analytics back', async () => {
  const project = await pausedProject(2);
  const records = [1, 2].map((number) => pathIn(project, 'iterations', `00${number}`, 'attempt-1', 'result.json'));
  const before = records.map((file) => readFileSync(file, 'utf8'));
  for (const name of ['analytics', 'checkpoints', 'backups', 'state.json', ...records]) {
    rmSync(path.resolve(pathIn(project), name), { recursive: true });
  }
  expect(await ask(project, 'recover')).toMatchObject({ status: 'paused', source: { kind: 'journal' } });
  expect(records.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  expect(readJson(project, 'analytics/analytics.json')['iterations']).toHaveLength(2);
  expect(stateOf(project)).toMatchObject({ status: 'paused', iteration: 2 });
});

test('R3: recover --mark-crashed ends a loop whose process died, and nothing of it is left running', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.start(runOf());
  await eventually(() => project.has('started')).toBe(true);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  const refused = await project.ralphd('recover', '--mark-crashed', '--json');
  expect(endLine(refused)).toMatchObject({ code: 'LOOP_LOCKED' });
  running.signal('SIGKILL');
  await running.ended;

  expect(await ask(project, 'recover', '--mark-crashed')).toMatchObject({ status: 'crashed' });
  expect(project.processes()).toEqual([]);
  expect(stateOf(project)).toMatchObject({ status: 'crashed', error_context: { recovery_attempted: false } });
  expect(factsOf(project, 'loop.ended')).toMatchObject([{ status: 'crashed', reason: 'recovery_failed' }]);
  expect((await project.ralphd('resume', onlyId(project), '-n', '9')).code).toBe(64);
  expect((await project.ralphd('recover', '--mark-crashed')).code).toBe(64);
});

test('A133: gc removes old scraps of finished loops and, when asked, old loops; a paused one is not touched', async () => {
  const project = await pausedProject(1);
  const old = new Date(Date.now() - 40 * 86_400_000);
  const paused = onlyId(project);
  writeHonestAgent(project);
  expect((await project.ralphd(...runOf('--loop-id', 'finished'))).code).toBe(0);
  const finished = loopIds(project).find((id) => id !== paused) ?? '';
  for (const id of [paused, finished]) {
    const scrap = path.join(project.folder, '.ralph/loops', id, '.state.json.abc.tmp');
    writeFileSync(scrap, 'x');
    utimesSync(scrap, old, old);
  }
  const wanted = [{ path: `loops/${finished}/.state.json.abc.tmp`, bytes: 1, why: 'an old temporary file' }];
  expect(await ask(project, 'gc', '--dry-run')).toMatchObject({ dryRun: true, removed: wanted });
  expect(await ask(project, 'gc', '--loops')).toMatchObject({ dryRun: false, removed: wanted, freedBytes: 1 });
  expect(await ask(project, 'gc')).toMatchObject({ removed: [] });
  expect(project.has(`.ralph/loops/${paused}/.state.json.abc.tmp`)).toBe(true);
  expect(loopIds(project)).toHaveLength(2);
});

test('A133: a finished loop goes whole once it is old, and a paused one never', async () => {
  const project = await pausedProject(1);
  const paused = onlyId(project);
  writeHonestAgent(project);
  expect((await project.ralphd(...runOf('--loop-id', 'finished'))).code).toBe(0);
  const place = { workingDirectory: project.folder, root: path.join(project.folder, '.ralph') };
  const inDays = (days: number) => ({
    dryRun: false,
    loops: true,
    nowMs: Date.now() + days * 86_400_000,
    env: project.env,
  });
  expect((await collectGarbage(place, inDays(29))).removed).toEqual([]);
  expect((await collectGarbage(place, { ...inDays(31), dryRun: true })).removed).toHaveLength(1);
  expect(loopIds(project)).toHaveLength(2);
  const { removed, freedBytes } = await collectGarbage(place, inDays(31));
  expect(removed).toMatchObject([{ path: expect.stringMatching(/^loops\/ralph-finished-[0-9a-f]{8}$/) }]);
  expect(freedBytes).toBeGreaterThan(1_000);
  expect(loopIds(project)).toEqual([paused]);
});

test('doctor finds nothing wrong with a good project, and creates nothing where there is no state', async () => {
  const empty = createProject();
  expect(await ask(empty, 'doctor')).toMatchObject({ ok: true, loops: 0, findings: [] });
  expect(empty.has('.ralph')).toBe(false);
  const project = await pausedProject(1);
  const examined = await ask(project, 'doctor');
  expect(examined).toMatchObject({ ok: true, loops: 1, findings: [] });
  expect(examined['facts']).toBeGreaterThan(5);
});

test('doctor names each thing that is wrong, with its fix, and exits with 1', async () => {
  const project = await pausedProject(2);
  const journal = pathIn(project, 'journal', '0001-0001.jsonl');
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('"attempt":1', '"attempt":7'));
  chmodSync(pathIn(project, 'state.json'), 0o644);
  symlinkSync('/etc', pathIn(project, 'link'));
  writeFileSync(pathIn(project, 'checkpoints', 'iteration-001.json.gz'), 'x');
  mkdirSync(path.join(project.folder, '.aiwg/ralph-external/loop-1'), { recursive: true });
  const ended = await project.ralphd('doctor', '--json');
  expect(ended.code).toBe(1);
  const [{ findings } = {}] = jsonLines(ended.stdout) as readonly { readonly findings?: readonly object[] }[];
  const at = (name: string): unknown => expect.stringContaining(name);
  const id = onlyId(project);
  expect(findings).toHaveLength(5);
  expect(findings).toEqual(
    expect.arrayContaining([
      { level: 'problem', where: at('state.json'), what: at('Other users'), fix: at("chmod go-rwx '/") },
      { level: 'problem', where: at('/link'), what: at('symbolic link'), fix: at('cp -RL') },
      { level: 'problem', where: at('.jsonl'), what: at('is damaged after byte'), fix: at(`ralphd backup ${id}`) },
      { level: 'problem', where: at('iteration-001.json.gz'), what: at('cannot be trusted'), fix: at("rm '/") },
      { level: 'note', where: at('.aiwg/ralph-external'), what: at('AIWG'), fix: 'ralphd import .aiwg/ralph-external' },
    ]),
  );
});
