import { expect, test } from 'vitest';
import type { ResumeLoopOptions } from '../../src/index.ts';
import { runOf, runsOf, writeBusyAgent, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { configWith, library } from '../support/library.ts';
import { createProject, eventually, factsOf, loopIds, type Project } from '../support/project.ts';

const { openLoops, resumeLoop, runLoop } = library;

function preparedProject(write: (project: Project) => void): Project {
  const project = createProject();
  write(project);
  writeCheck(project);
  return project;
}

function surroundings(project: Project, more: ResumeLoopOptions = {}): ResumeLoopOptions {
  return { cwd: project.folder, env: project.env, ...more };
}

/** A loop that its limit paused after one iteration. */
async function pausedLoop(project: Project): Promise<string> {
  const loop = await runLoop(configWith({ maxIterations: 1, onLimit: 'pause' }), surroundings(project));
  await loop.result;
  return loop.id;
}

test('a program takes a loop over from a frozen process by force, and the answer without it says how', async () => {
  const project = preparedProject(writeSteppedAgent);
  const running = project.start(runOf());
  await eventually(() => runsOf(project)).toBe(1);
  running.signal('SIGSTOP');
  const [id = ''] = loopIds(project);
  await expect(resumeLoop(id, surroundings(project))).rejects.toMatchObject({
    code: 'LOOP_LOCKED',
    exitCode: 6,
    hint: expect.stringContaining('with `force: true`') as string,
  });
  project.write('finish', '');
  project.write('go-2', '');
  const loop = await resumeLoop(id.slice(0, -3), surroundings(project, { force: true }));
  expect(loop.problems).toContain(`Process ${running.pid}, which was running loop ${id}, was ended.`);
  await expect(loop.result).resolves.toMatchObject({ loopId: id, verified: true });
  await running.ended;
});

test('a program never ends itself to take over or remove a loop that it runs', async () => {
  const project = preparedProject(writeSteppedAgent);
  await using loop = await runLoop(configWith(), surroundings(project));
  await eventually(() => runsOf(project)).toBe(1);
  const loops = openLoops(project.folder, { env: project.env });
  const refused = { code: 'LOOP_LOCKED', message: expect.stringContaining(`process ${process.pid}`) as string };
  await expect(resumeLoop(loop.id, surroundings(project, { force: true }))).rejects.toMatchObject(refused);
  await expect(loops.remove(loop.id, { force: true })).rejects.toMatchObject(refused);
  expect(loop.context.state).toBe('running');
});

test('reload applies what files and variables set now, and changes are stronger', async () => {
  const project = preparedProject(writeBusyAgent);
  const id = await pausedLoop(project);
  project.write('ralphd.yml', 'verifyTimeout: 7m\niteration: { timeout: 9m }\nprotect: strict\nverify: ["true"]\n');
  const kept = await resumeLoop(id, surroundings(project, { changes: { maxIterations: 2 } }));
  await kept.result;
  expect(factsOf(project, 'config.changed')).toMatchObject([{ changes: [{ setting: 'maxIterations' }] }]);
  const changes = { maxIterations: 3, iteration: { timeout: '8m' } };
  const reloaded = await resumeLoop(id, surroundings(project, { reload: true, changes }));
  await expect(reloaded.result).resolves.toMatchObject({ context: { stats: { iterations: 3 } } });
  expect(factsOf(project, 'config.changed')[1]?.['changes']).toEqual([
    { setting: 'maxIterations', from: '2', to: '3' },
    { setting: 'verifyTimeout', from: '10m', to: '7m' },
    { setting: 'iteration.timeout', from: '30m', to: '8m' },
  ]);
});

test('a reload of settings that are wrong, and a change of one that is fixed, are refused and change nothing', async () => {
  const project = preparedProject(writeBusyAgent);
  const id = await pausedLoop(project);
  const changes = { maxIterations: 2 };
  const fixed = { changes: { ...changes, protect: 'strict' } as object };
  await expect(resumeLoop(id, surroundings(project, fixed))).rejects.toMatchObject({
    code: 'SETTING_FIXED',
    message: expect.stringContaining('"protect" cannot change in an existing loop') as string,
  });
  project.write('ralphd.yml', 'verifyTimeout: soon\n');
  await expect(resumeLoop(id, surroundings(project, { reload: true, changes }))).rejects.toMatchObject({
    code: 'CONFIG_BAD_VALUE',
  });
  expect(factsOf(project, 'config.changed')).toEqual([]);
  expect(factsOf(project, 'loop.resumed')).toEqual([]);
});

test('a program removes an ended loop, and one that could be resumed only by force', async () => {
  const project = preparedProject(writeBusyAgent);
  const id = await pausedLoop(project);
  const loops = openLoops(project.folder, { env: project.env });
  await expect(loops.remove(id)).rejects.toMatchObject({
    code: 'REMOVAL_REFUSED',
    hint: 'Send it "abort" with openLoops().send() first, or remove it anyway with `force: true`.',
  });
  expect(loopIds(project)).toEqual([id]);
  await expect(loops.remove(id.slice(0, -3), { force: true })).resolves.toMatchObject({
    id,
    removed: expect.arrayContaining([expect.stringContaining(id)]) as object,
    ended: [],
  });
  writeHonestAgent(project);
  const ended = await runLoop(configWith(), surroundings(project));
  await ended.result;
  const { freedBytes } = await loops.remove(ended.id);
  expect(freedBytes).toBeGreaterThan(0);
  expect(loopIds(project)).toEqual([]);
  await expect(loops.remove(ended.id)).rejects.toMatchObject({ code: 'LOOP_NOT_FOUND' });
});
