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
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import {
  createProject,
  type Ended,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  loopIds,
  type Project,
  stateOf,
} from '../support/project.ts';

/** A project with one loop that is paused after so many iterations. */
async function pausedProject(iterations: number, settings = ''): Promise<Project> {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', `onLimit: pause\n${settings}`);
  expect((await project.ralphd(...runOf('-n', String(iterations)))).code).toBe(2);
  return project;
}

async function ask(project: Project, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await project.ralphd(...args, '--json');
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const [answer = {}] = jsonLines(ended.stdout);
  return answer;
}

function loopFolder(project: Project): string {
  const ids = loopIds(project);
  expect(ids).toHaveLength(1);
  return `.ralph/loops/${ids[0]}`;
}

/** An agent that says `started` in a file and then works until `go` is there, or is ended. */
function writeWaitingAgent(project: Project): void {
  const wait = 'until [ -e go ]; do sleep 0.05; done';
  project.script('agent.sh', 'cat > heard', 'echo $$ >> started', wait, 'touch done', 'echo "<promise>DONE</promise>"');
}

function pathIn(project: Project, ...names: readonly string[]): string {
  return path.join(project.folder, loopFolder(project), ...names);
}

function onlyId(project: Project): string {
  return loopIds(project)[0] ?? '';
}

function readJson(project: Project, name: string): Record<string, unknown> {
  return JSON.parse(project.read(`${loopFolder(project)}/${name}`)) as Record<string, unknown>;
}

test('A158, A172, A069: a loop leaves checkpoints at its interval, a record of each iteration, and analytics', async () => {
  const project = await pausedProject(5, 'checkpointInterval: 2\n');
  expect(readdirSync(pathIn(project, 'checkpoints'))).toEqual(['iteration-002.json.gz', 'iteration-004.json.gz']);
  const bytes = readFileSync(pathIn(project, 'checkpoints', 'iteration-004.json.gz'));
  expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({
    loop_id: onlyId(project),
    trigger: 'iteration',
    state: { iteration: { current: 4, max: 5 } },
    ralphd: { snapshot: { iteration: 4, status: 'running' } },
  });
  expect(stateOf(project)['last_checkpoint']).toBe(`${loopFolder(project)}/checkpoints/iteration-004.json.gz`);
  for (const number of [1, 2, 3, 4, 5]) {
    const result = readJson(project, `iterations/00${number}/attempt-1/result.json`);
    expect(result).toMatchObject({ number, attempt: 1, status: 'completed', result: { exitCode: 0 } });
  }
  const analytics = readJson(project, 'analytics/analytics.json');
  expect(analytics).toMatchObject({ status: 'paused', metrics: { total_iterations: 5 } });
  expect(analytics['iterations']).toHaveLength(5);
});

test('a loop that ended has a checkpoint of its end', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  expect((await project.ralphd(...runOf())).code).toBe(0);
  const bytes = readFileSync(pathIn(project, 'checkpoints', 'iteration-001.json.gz'));
  expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({
    trigger: 'phase_boundary',
    metadata: { tags: ['final'] },
    ralphd: { snapshot: { status: 'completed' } },
  });
});

test('a checkpoint that cannot be written is reported, and the loop goes on', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.start(runOf());
  await eventually(() => project.has('started')).toBe(true);
  writeFileSync(pathIn(project, 'checkpoints'), 'in the way');
  project.write('go', '');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/! The checkpoint of iteration 1 was not written: .*not a plain folder/);
});

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
});

test('R22: restore goes back to a checkpoint, keeps what came later, and the loop runs on from there', async () => {
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
  const running = project.start(runOf());
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
  expectRefusal(await project.ralphd('restore', id, ...from), 64, 'RESTORE_REFUSED');
  expectRefusal(await project.ralphd('restore', id, '--from', 'nothing.json', '--json'), 64, 'RESTORE_REFUSED');
  expect(stateOf(project)['status']).toBe('completed');
});

test('A132: recover says what it finds, rebuilds from a checkpoint, and has nothing to do a second time', async () => {
  const project = await pausedProject(2);
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

test('analytics that were lost are made again by recover', async () => {
  const project = await pausedProject(2);
  rmSync(pathIn(project, 'analytics'), { recursive: true });
  writeFileSync(pathIn(project, 'state.json'), 'x');
  await ask(project, 'recover');
  expect(readJson(project, 'analytics/analytics.json')['iterations']).toHaveLength(2);
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
  expect((await project.ralphd('resume', onlyId(project))).code).toBe(64);
  expect((await project.ralphd('recover', '--mark-crashed')).code).toBe(64);
});

test('R13, B086: a fifth live loop is refused at once with the list, paused ones count, and --force warns', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'onLimit: pause\nbaseline: false\n');
  for (const name of ['one', 'two', 'three', 'four']) {
    expect((await project.ralphd(...runOf('-n', '1', '--loop-id', name))).code).toBe(2);
  }
  const ids = loopIds(project);
  const refused = await project.ralphd(...runOf('-n', '1'));
  expect(refused.code).toBe(64);
  const { code, message, hint } = endLine(refused);
  expect(code).toBe('TOO_MANY_LOOPS');
  for (const id of ids) expect(message).toContain(`${id} (paused)`);
  expect(hint).toMatch(/abort.*--force/);
  expect(loopIds(project)).toEqual(ids);

  const forced = await project.ralphd(...runOf('-n', '1', '--force'));
  expect(forced.code).toBe(2);
  expect(forced.stderr).toContain('! 5 loops are live here, more than the limit of 4');

  for (const id of ids) expect((await project.ralphd('abort', id)).code).toBe(0);
  expect((await project.ralphd(...runOf('-n', '1'))).code).toBe(2);
});

test('B083, B088: the registry lists live loops with their owner, and those that ended are only counted', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.start(runOf());
  await eventually(() => project.has('started')).toBe(true);
  const registry = () => JSON.parse(project.read('.ralph/registry.json')) as Record<string, unknown>;
  expect(registry()).toMatchObject({
    total_active: 1,
    active_loops: [{ loop_id: onlyId(project), status: 'running', state_file: `${loopFolder(project)}/state.json` }],
  });
  expect(Number((registry()['active_loops'] as readonly Record<string, unknown>[])[0]?.['pid'])).toBeGreaterThan(1);
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
  expect(registry()).toMatchObject({ total_active: 0, total_completed: 1, active_loops: [] });
  rmSync(path.join(project.folder, '.ralph/registry.json'));
  expect(jsonLines((await project.ralphd('ls', '--json')).stdout)).toMatchObject([
    { loops: [{ status: 'completed' }] },
  ]);
  await ask(project, 'gc');
  expect(registry()).toMatchObject({ total_completed: 1 });
});

test.each([
  ['registry', 'registry.json', '{"version":"2.0.0","active_loops":[]}'],
  ['folder of loops', 'loops/ralph-theirs-00000001/state.json', '{}'],
])('a foreign %s is refused with the way out, and left alone', async (_what, name, content) => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const before = plant(project, name, content);
  const refused = await project.ralphd(...runOf());
  expect(refused.code).toBe(78);
  expect(endLine(refused)).toMatchObject({ code: 'FOREIGN_STATE', hint: expect.stringContaining('--state-dir') });
  expect(readdirSync(path.join(project.folder, '.ralph'), { recursive: true })).toEqual(before);
  expect((await project.ralphd(...runOf('--state-dir', '.ralphd'))).code).toBe(0);
});

function plant(project: Project, name: string, content: string): readonly (string | Buffer)[] {
  const file = path.join(project.folder, '.ralph', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return readdirSync(path.join(project.folder, '.ralph'), { recursive: true });
}

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
  mkdirSync(path.join(project.folder, '.aiwg/ralph-external'), { recursive: true });
  const ended = await project.ralphd('doctor', '--json');
  expect(ended.code).toBe(1);
  const [{ findings } = {}] = jsonLines(ended.stdout) as readonly { readonly findings?: readonly object[] }[];
  const at = (name: string): unknown => expect.stringContaining(name);
  const id = onlyId(project);
  expect(findings).toHaveLength(5);
  expect(findings).toEqual(
    expect.arrayContaining([
      { level: 'problem', where: at('state.json'), what: at('Other users'), fix: at("chmod go-rwx '/") },
      { level: 'problem', where: at('/link'), what: at('symbolic link'), fix: at('Replace it') },
      { level: 'problem', where: at('.jsonl'), what: at('is damaged behind byte'), fix: at(`ralphd backup ${id}`) },
      { level: 'problem', where: at('iteration-001.json.gz'), what: at('cannot be trusted'), fix: at("rm '/") },
      { level: 'note', where: at('.aiwg/ralph-external'), what: at('AIWG'), fix: at('Nothing') },
    ]),
  );
});
