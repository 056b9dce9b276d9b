import { expect, test } from 'vitest';
import type { LoopEvent, RunLoopOptions } from '../../src/index.ts';
import { runsOf, writeBusyAgent, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { configWith, library } from '../support/library.ts';
import { createProject, eventually, journalOf, type Project, promptOf } from '../support/project.ts';

const { openLoops, resumeLoop, runLoop } = library;

function preparedProject(write: (project: Project) => void = writeSteppedAgent): Project {
  const project = createProject();
  write(project);
  writeCheck(project);
  return project;
}

function surroundings(project: Project, more: RunLoopOptions = {}): RunLoopOptions {
  return { cwd: project.folder, env: project.env, ...more };
}

function finish(project: Project, run: number): void {
  project.write('finish', '');
  project.write(`go-${run}`, '');
}

async function collect(events: AsyncIterable<LoopEvent>): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const { seq, type } of events) seen.push(`${seq} ${type}`);
  return seen;
}

function recorded(project: Project): readonly string[] {
  const facts = journalOf(project).filter(({ type }) => type !== 'segment.opened');
  return facts.map(({ seq, type }) => `${seq} ${type}`);
}

test('a loop runs from a configuration, and its result says how it ended', async () => {
  const project = preparedProject(writeHonestAgent);
  const loop = await runLoop(configWith(), surroundings(project));
  expect(loop.id).toMatch(/^ralph-fix-the-tests-[0-9a-f]{8}$/);
  await expect(loop.result).resolves.toMatchObject({
    loopId: loop.id,
    verified: true,
    context: { state: 'completed' },
  });
  expect(loop.context).toMatchObject({ state: 'completed', stats: { iterations: 1 } });
  expect(loop.problems).toEqual([]);
});

test('a loop that fails resolves too: a limit is a result, not an error', async () => {
  const loop = await runLoop(configWith({ maxIterations: 2 }), surroundings(preparedProject(writeBusyAgent)));
  await expect(loop.result).resolves.toMatchObject({ verified: false, context: { stopReason: 'max_iterations' } });
});

test('an already aborted signal creates nothing, and its reason is passed on unchanged', async () => {
  const project = preparedProject();
  const reason = new Error('changed my mind');
  const options = surroundings(project, { signal: AbortSignal.abort(reason) });
  await expect(runLoop(configWith(), options)).rejects.toBe(reason);
  await expect(resumeLoop('ralph-x-a1b2c3d4', options)).rejects.toBe(reason);
  expect(project.has('.ralph')).toBe(false);
});

test('a signal ends the agent and pauses the loop, and another call continues it', async () => {
  const project = preparedProject();
  const stop = new AbortController();
  const loop = await runLoop(configWith(), surroundings(project, { signal: stop.signal }));
  await eventually(() => runsOf(project)).toBe(1);
  stop.abort();
  await expect(loop.result).resolves.toMatchObject({ context: { state: 'paused', stopReason: 'interrupted' } });
  expect(project.processes()).toEqual([]);
  finish(project, 2);
  const resumed = await resumeLoop(loop.id, surroundings(project));
  expect(resumed.id).toBe(loop.id);
  await expect(resumed.result).resolves.toMatchObject({ verified: true });
});

test('to dispose of a handle ends the run and leaves the loop paused', async () => {
  const project = preparedProject();
  let result: unknown;
  {
    await using loop = await runLoop(configWith(), surroundings(project));
    ({ result } = loop);
    await eventually(() => runsOf(project)).toBe(1);
  }
  expect(project.processes()).toEqual([]);
  await expect(result).resolves.toMatchObject({ context: { state: 'paused' } });
});

test('every event can be read from any number on, during the run and after it', async () => {
  const project = preparedProject();
  const loop = await runLoop(configWith(), surroundings(project));
  const fromTheStart = collect(loop.events());
  await eventually(() => runsOf(project)).toBe(1);
  const known = recorded(project).length;
  const late = collect(loop.events());
  const rest = collect(loop.events({ afterSeq: known }));
  finish(project, 1);
  await loop.result;
  const all = recorded(project);
  expect(all.at(-1)).toMatch(/ loop\.ended$/);
  expect(await Promise.all([fromTheStart, late])).toEqual([all, all]);
  expect(await rest).toEqual(all.filter((line) => Number.parseInt(line, 10) > known));
  expect(await collect(loop.events())).toEqual(all);
});

test('a resumed loop gives the events of its earlier runs too', async () => {
  const project = preparedProject();
  const first = await runLoop(configWith(), surroundings(project));
  await eventually(() => runsOf(project)).toBe(1);
  await first.shutdown();
  finish(project, 2);
  const second = await resumeLoop(first.id, surroundings(project));
  const events = collect(second.events());
  await second.result;
  expect(await events).toEqual(recorded(project));
});

test('a reader that stops does not end the run', async () => {
  const project = preparedProject();
  const loop = await runLoop(configWith(), surroundings(project));
  const enough = new AbortController();
  const events = collect(loop.events({ signal: enough.signal }));
  await eventually(() => runsOf(project)).toBe(1);
  enough.abort();
  expect((await events)[0]).toMatch(/ loop\.started$/);
  finish(project, 1);
  await expect(loop.result).resolves.toMatchObject({ verified: true });
});

test('commands are answered: what was accepted, what was refused and why, and what would be accepted', async () => {
  const project = preparedProject();
  await using loop = await runLoop(configWith(), surroundings(project, { whenPaused: 'stay' }));
  await eventually(() => runsOf(project)).toBe(1);
  await expect(loop.send({ command: 'guide', text: 'mind the gap' })).resolves.toEqual({ accepted: true });
  expect(loop.context.guidance).toMatchObject([{ number: 1, standing: true, sender: { face: 'library' } }]);
  await expect(loop.send({ command: 'drop', number: 1 })).resolves.toEqual({ accepted: true });
  expect(loop.context.guidance).toEqual([]);
  await expect(loop.send({ command: 'resume' })).resolves.toMatchObject({
    accepted: false,
    why: 'the loop is already running',
    allowed: expect.arrayContaining(['pause', 'guide', 'stop']) as object,
  });
  await loop.send({ command: 'pause' });
  project.write('go-1', '');
  await eventually(() => loop.context.state).toBe('paused');
  finish(project, 2);
  await loop.send({ command: 'resume' });
  await expect(loop.result).resolves.toMatchObject({ verified: true });
  await expect(loop.send({ command: 'pause' })).resolves.toMatchObject({ accepted: false, why: 'the run is over' });
});

test('a loop that pauses gives its result, and can get more when it is resumed', async () => {
  const project = preparedProject(writeBusyAgent);
  const options = surroundings(project);
  const loop = await runLoop(configWith({ maxIterations: 1, onLimit: 'pause' }), options);
  await expect(loop.result).resolves.toMatchObject({ context: { state: 'paused', stopReason: 'max_iterations' } });
  await expect(resumeLoop(loop.id, options)).rejects.toMatchObject({
    code: 'RESUME_NEEDS_ROOM',
    hint: 'Raise the limits with the option "changes" of resumeLoop() or LoopRunner.run().',
  });
  const resumed = await resumeLoop(loop.id, { ...options, changes: { maxIterations: 3 } });
  await expect(resumed.result).resolves.toMatchObject({ context: { stats: { iterations: 3 } } });
  await expect(resumeLoop(loop.id, { ...options, changes: { maxTime: 'soon' } })).rejects.toMatchObject({
    code: 'CONFIG_BAD_VALUE',
    message: expect.stringMatching(/^maxTime \(in "changes"\) must be .*, but it is "soon"\.$/) as string,
  });
  const misspelled = { maxIteration: 3 } as object;
  await expect(resumeLoop(loop.id, { ...options, changes: misspelled })).rejects.toMatchObject({
    code: 'CONFIG_UNKNOWN_KEY',
    message: 'Unknown setting "maxIteration" (in "changes").',
  });
});

test('the work of a loop that has ended continues in a new loop', async () => {
  const project = preparedProject(writeBusyAgent);
  const options = surroundings(project);
  const ended = await runLoop(configWith({ maxIterations: 1 }), options);
  await ended.result;
  await expect(resumeLoop(ended.id, options)).rejects.toMatchObject({
    code: 'RESUME_REFUSED',
    hint: 'Continue its work in a new loop: call resumeLoop() with `asNew: true`.',
  });
  const raised = await resumeLoop(ended.id, { ...options, changes: { maxIterations: 2 } });
  await expect(raised.result).resolves.toMatchObject({ context: { stats: { iterations: 2 } } });
  const again = await resumeLoop(ended.id, { ...options, asNew: true });
  await expect(again.result).resolves.toMatchObject({ context: { stats: { iterations: 1 } } });
  expect(new Set([ended.id, raised.id, again.id]).size).toBe(3);
});

test('another program lists, inspects, follows and controls a loop that it does not run', async () => {
  const project = preparedProject();
  const loop = await runLoop(configWith(), surroundings(project));
  await eventually(() => runsOf(project)).toBe(1);
  const loops = openLoops(project.folder, { env: project.env });
  const followed = collect(loops.follow(loop.id));
  expect(await loops.list()).toMatchObject({ loops: [{ id: loop.id, status: 'running' }], unreadable: [] });
  await expect(loops.look(loop.id.slice(0, -4))).resolves.toMatchObject({
    id: loop.id,
    task: 'Fix the tests',
    owner: { pid: process.pid, liveness: 'alive' },
    context: { state: 'running' },
    problems: [],
  });
  await expect(loops.send(loop.id, { command: 'guide', text: 'hurry' })).resolves.toEqual({ accepted: true });
  await expect(loops.send(loop.id, { command: 'resume' })).resolves.toMatchObject({ accepted: false });
  finish(project, 1);
  await loop.result;
  expect(await followed).toEqual(recorded(project));
  expect(await collect(loops.follow(loop.id, { afterSeq: 5 }))).toEqual(recorded(project).slice(4));
});

test('errors of the library have a code, and hints that name options and functions', async () => {
  const project = preparedProject();
  await expect(runLoop({ prompt: 'x', agent: 'command' }, surroundings(project))).rejects.toMatchObject({
    name: 'LoopError',
    code: 'AGENT_COMMAND_MISSING',
    exitCode: 78,
    retry: 'never',
    hint: 'Set "agentCommand": a program that reads the prompt on stdin and prints text.',
  });
  const loops = openLoops(project.folder, { env: project.env });
  await expect(loops.look('ralph-none-a1b2c3d4')).rejects.toMatchObject({
    code: expect.stringMatching(/LOOP/) as string,
  });
  expect(project.has('.ralph')).toBe(false);
});

test('B011: a program gives the templates of its prompts helpers and variables, for every iteration anew', async () => {
  const project = preparedProject(writeBusyAgent);
  project.write('PROMPT.md', '---\ntemplate: true\n---\n{{#each todo as item}}{{quote item}} {{/each}}{{iteration}}');
  let asked = 0;
  const templates = {
    helpers: { quote: (value: unknown) => `«${JSON.stringify(value)}»` },
    variables: { todo: () => ['{{iteration}}', (asked += 1)] },
  };
  const { prompt: _prompt, ...config } = configWith({ maxIterations: 2 });
  const loop = await runLoop(config, surroundings(project, { templates }));
  await loop.result;
  const [first, second] = [1, 2].map((iteration) => promptOf(project, iteration).trimEnd());
  expect(first).toMatch(/«"\{\{iteration\}\}"» «\d+» 1$/u);
  expect(second).toMatch(/«"\{\{iteration\}\}"» «\d+» 2$/u);
  expect(asked).toBeGreaterThanOrEqual(3);
});
