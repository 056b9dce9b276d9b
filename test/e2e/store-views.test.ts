import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { ask, loopFolder, onlyId, pathIn, pausedProject, readJson, writeWaitingAgent } from '../support/loop-files.ts';
import { createProject, endLine, eventually, jsonLines, loopIds, type Project, stateOf } from '../support/project.ts';

test('A158, A152, A172, A069: a loop leaves checkpoints at its interval, a record of each iteration, and analytics', async () => {
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

test('a checkpoint that cannot be written is reported, and the loop continues', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.begin(runOf());
  await eventually(() => project.has('started')).toBe(true);
  writeFileSync(pathIn(project, 'checkpoints'), 'in the way');
  project.write('go', '');
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/! The checkpoint of iteration 1 was not written: .*not a plain folder/);
});

/** Begins a loop of the project in a folder of its own. */
function startApart(project: Project, name: string, ...more: readonly string[]) {
  mkdirSync(path.join(project.folder, name));
  for (const program of ['agent.sh', 'check.sh'])
    copyFileSync(path.join(project.folder, program), path.join(project.folder, name, program));
  const place = { RALPHD_WORKING_DIR: name, RALPHD_STATE_DIR: path.join(project.folder, '.ralph') };
  return project.begin(runOf('--loop-id', name, ...more), place);
}

test('R13, B086: a fifth running loop is refused at once with the list, started or resumed, paused ones do not count, and --force warns', async () => {
  const project = createProject();
  const wait = '[ -e ../paused ] && until [ -e ../go ]; do sleep 0.05; done';
  project.script('agent.sh', 'cat > /dev/null', 'echo $$ >> ../started', 'echo more >> work-$$', wait, 'true');
  writeCheck(project);
  project.write('ralphd.yml', 'onLimit: pause\nbaseline: false\n');
  const start = (name: string) => startApart(project, name, '-n', '1');
  const paused = String(endLine(await start('zero').ended)['loopId']);
  project.write('paused', '');
  const running = ['one', 'two', 'three', 'four'].map(start);
  await eventually(() => project.read('started').split('\n')).toHaveLength(6);
  const ids = loopIds(project);
  const refused = await project.ralphd(...runOf('-n', '1'));
  expect(refused.code).toBe(64);
  const { code, message, hint } = endLine(refused);
  expect(code).toBe('TOO_MANY_LOOPS');
  expect(message).not.toContain(paused);
  expect(message).toContain('Paused loops do not count.');
  for (const id of ids) if (id !== paused) expect(message).toContain(`${id} (running)`);
  expect(hint).toMatch(/pause.*abort.*--force/);
  expect(loopIds(project)).toEqual(ids);
  const kept = await project.ralphd('resume', paused, '-n', '2', '--json');
  expect(kept.code).toBe(64);
  expect(endLine(kept)).toMatchObject({ code, message, hint });
  const forced = startApart(project, 'five', '-n', '1', '--force');
  await eventually(() => forced.output().stderr).toContain('! 5 loops run here, more than the limit of 4');
  const resumed = project.begin(['resume', paused, '-n', '2', '--force']);
  await eventually(() => resumed.output().stderr).toContain('! 6 loops run here, more than the limit of 4');
  project.write('go', '');
  for (const { ended } of [...running, forced, resumed]) expect((await ended).code).toBe(2);
});

test('R13: of ten loops that start at the same moment four run, and the others are refused', async () => {
  const project = createProject();
  const wait = 'until [ -e ../go ]; do sleep 0.05; done';
  project.script('agent.sh', 'cat > heard-$$', wait, 'touch done work-$$', 'echo "<promise>DONE</promise>"');
  writeCheck(project);
  project.write('ralphd.yml', 'baseline: false\n');
  const all = Array.from({ length: 10 }, (_, index) => startApart(project, `loop-${index}`));
  await eventually(() => all.filter((each) => each.output().stdout.includes('TOO_MANY_LOOPS'))).toHaveLength(6);
  project.write('go', '');
  const ended = await Promise.all(all.map(async (each) => await each.ended));
  const endings = ended.map(({ stdout }) => stdout.trimEnd().split('\n').slice(-4).join('\n')).join('\n');
  expect(ended.map(({ code }) => code).toSorted(), endings).toEqual([
    ...Array<number>(4).fill(0),
    ...Array<number>(6).fill(64),
  ]);
  for (const { stderr } of ended) expect(stderr).not.toContain('registry.lock');
  expect(loopIds(project)).toHaveLength(4);
});

test('B083, B088: the registry lists live loops with their owner, and those that ended are only counted', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  const running = project.begin(runOf());
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

test('A126, B088: while an agent works, the registry is refreshed by the heartbeat', async () => {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'persistence: { autoSaveInterval: 1s }\n');
  const running = project.begin(runOf());
  await eventually(() => project.has('started')).toBe(true);
  const active = () =>
    (JSON.parse(project.read('.ralph/registry.json')) as { active_loops: readonly Record<string, unknown>[] })
      .active_loops[0];
  await eventually(() => active()?.['iteration']).toBe(1);
  const before = active();
  await eventually(() => active()?.['last_active']).not.toBe(before?.['last_active']);
  expect(active()).toMatchObject({ status: 'running', pid: before?.['pid'] });
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
});

test.each([
  ['registry', 'registry.json', '{"version":"2.0.0","active_loops":[]}'],
  ['folder of loops', 'loops/ralph-theirs-00000001/state.json', '{}'],
])('the %s of another program is refused with a hint, and left untouched', async (_what, name, content) => {
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
