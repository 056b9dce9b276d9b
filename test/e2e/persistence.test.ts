import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { ask, loopFolder, onlyId, pausedProject, writeWaitingAgent } from '../support/loop-files.ts';
import { createProject, endLine, eventually, journalOf, loopIds, type Project, stateOf } from '../support/project.ts';

interface RegistryRow {
  readonly loop_id: string;
  readonly status: string;
  readonly last_active: string;
}

function registered(project: Project): readonly RegistryRow[] {
  return (JSON.parse(project.read('.ralph/registry.json')) as { active_loops: readonly RegistryRow[] }).active_loops;
}

async function waitingLoop(settings = '') {
  const project = createProject();
  writeWaitingAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', `baseline: false\n${settings}`);
  const running = project.begin(runOf());
  await eventually(() => project.has('started')).toBe(true);
  await eventually(() => journalOf(project).some(({ type }) => type === 'agent.started')).toBe(true);
  return { project, running };
}

test('A116: with persistence switched off the loop does its work and leaves nothing behind', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'persistence: { enabled: false }\n');
  const ended = await project.ralphdWith({ TMPDIR: project.folder }, runOf());
  expect(ended.code, ended.stderr).toBe(0);
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 1 });
  expect(ended.stderr).toContain('! This loop keeps no state');
  expect(readdirSync(project.folder).filter((name) => name.startsWith('ralphd-') || name === '.ralph')).toEqual([]);
});

test('A116: with persistence switched off, looking after loops finds none and harms nothing', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'persistence: { enabled: false }\nonLimit: pause\n');
  const paused = await project.ralphd('run', 'x', ...usual, '-n', '1');
  expect(paused.code).toBe(2);
  expect(paused.stdout).toContain('state was not kept (persistence.enabled is false). Start again: ralphd run');
  for (const command of [['ls'], ['gc'], ['doctor']]) expect((await project.ralphd(...command)).code).toBe(0);
  expect(project.has('.ralph')).toBe(false);
});

test('A124 A140: what happened since the last snapshot is in the journal, and the snapshot catches up by itself', async () => {
  const { project, running } = await waitingLoop();
  const lastSeq = () => journalOf(project).at(-1)?.seq;
  await eventually(() => stateOf(project).ralphd['seq'] === lastSeq()).toBe(true);
  const saved = stateOf(project).ralphd['seq'];
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
  expect(Number(lastSeq())).toBeGreaterThan(Number(saved));
  expect(stateOf(project).ralphd['seq']).toBe(lastSeq());
});

test('A124: a snapshot that has nothing new to say is not written again', async () => {
  const project = await pausedProject(1);
  const file = path.join(project.folder, loopFolder(project), 'state.json');
  const before = statSync(file, { bigint: true });
  await ask(project, 'status');
  await ask(project, 'doctor');
  expect(statSync(file, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
});

test('A161: once an iteration is over, the document says how long the rest may take at most', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo $$ >> started',
    'cat > heard',
    'echo more >> work',
    '[ -e go ] || { touch go; exit 0; }',
    'until [ -e end ]; do sleep 0.05; done',
  );
  writeCheck(project);
  const running = project.begin(runOf('-n', '3'));
  await eventually(() => project.has('started') && project.read('started').split('\n').length).toBe(3);
  await eventually(() => (stateOf(project)['progress'] as Record<string, unknown>)['estimated_completion']).toMatch(
    /^at most 2 more iterations, about \S+/,
  );
  project.write('end', '');
  await running.ended;
  expect(stateOf(project)['progress']).not.toHaveProperty('estimated_completion');
});

test('A168: a new loop has its id, its folder, its state and its place in the registry before the agent works', async () => {
  const { project, running } = await waitingLoop();
  const id = onlyId(project);
  expect(id).toMatch(/^ralph-x-[0-9a-f]{8}$/);
  expect(stateOf(project)).toMatchObject({ version: '2.0.0', loop_id: id, status: 'running' });
  expect(registered(project)).toMatchObject([{ loop_id: id, status: 'running' }]);
  project.write('go', '');
  await running.ended;
});

test('A169: an update reaches the document with a newer date, and the registry with a newer sign of life', async () => {
  const { project, running } = await waitingLoop('persistence: { autoSaveInterval: 1s }\n');
  const before = { updated: String(stateOf(project)['last_updated']), alive: registered(project)[0]?.last_active };
  await ask(project, 'guide', onlyId(project), 'be careful');
  await ask(project, 'pause', onlyId(project));
  await eventually(() => String(stateOf(project)['last_updated']) > before.updated).toBe(true);
  await eventually(() => registered(project)[0]?.last_active).not.toBe(before.alive);
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
  expect(registered(project)).toEqual([]);
  const ghost = await project.ralphd('guide', 'ralph-nobody-00000000', 'hello', '--json');
  expect(endLine(ghost)).toMatchObject({ code: 'LOOP_NOT_FOUND' });
});

test('A170: a transition is written and registered; one that is not allowed changes neither', async () => {
  const { project, running } = await waitingLoop();
  const id = onlyId(project);
  await ask(project, 'pause', id, '--now');
  expect((await running.ended).code).toBe(5);
  expect(stateOf(project)['status']).toBe('paused');
  expect(registered(project)).toMatchObject([{ loop_id: id, status: 'paused' }]);
  await ask(project, 'abort', id);
  expect(stateOf(project)['status']).toBe('aborted');
  expect(registered(project)).toEqual([]);
  const before = [project.read(`${loopFolder(project)}/state.json`), project.read('.ralph/registry.json')];
  const refused = await project.ralphd('resume', id, '-n', '9', '--json');
  expect(refused.code).toBe(64);
  expect([project.read(`${loopFolder(project)}/state.json`), project.read('.ralph/registry.json')]).toEqual(before);
});

test('A191 R13: a second loop in the same folder is warned about, and refused if one of them requires exclusive use', async () => {
  const project = await pausedProject(1);
  const [first] = loopIds(project);
  const refused = await project.ralphd(...runOf('-n', '1', '--exclusive'));
  expect(refused.code).toBe(6);
  expect(endLine(refused)).toMatchObject({
    code: 'FOLDER_TAKEN',
    message: expect.stringContaining(`${first} (paused)`),
  });
  expect(loopIds(project)).toEqual([first]);
  const warned = await project.ralphd(...runOf('-n', '1', '--loop-id', 'second'));
  expect(warned.code).toBe(2);
  expect(warned.stderr).toContain(`! Another loop works in this folder too: ${first} (paused)`);
});

test('R13: an exclusive loop keeps others out of its folder until it ends, unless they use --force', async () => {
  const project = await pausedProject(1, 'exclusive: true\n');
  project.write('ralphd.yml', 'onLimit: pause\n');
  expect(endLine(await project.ralphd(...runOf('-n', '1')))).toMatchObject({ code: 'FOLDER_TAKEN' });
  expect((await project.ralphd(...runOf('-n', '1', '--force', '--loop-id', 'forced'))).code).toBe(2);
});

test('A105: a loop is exported as the document of another system, to standard output alone', async () => {
  const project = await pausedProject(1);
  const tachikoma = await ask(project, 'export', '--to', 'tachikoma');
  expect(tachikoma).toMatchObject({ version: 1, loop_id: onlyId(project), core: { status: 'paused', iteration: 1 } });
  const aiwg = await ask(project, 'export');
  expect(aiwg).toMatchObject({ version: '2.0.0', loop_id: onlyId(project), status: 'paused' });
  expect(aiwg).not.toHaveProperty('ralphd');
  const refused = await project.ralphd('export', '--to', 'yaml', '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ code: 'BAD_VALUE', hint: expect.stringContaining('aiwg-v2, tachikoma') });
});
