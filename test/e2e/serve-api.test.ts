import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseExposition } from '../../src/core/testing/parse-exposition.ts';
import { usual, writeBusyAgent, writeCheck } from '../support/agents.ts';
import { createApiCheck, isOpenApi } from '../support/api-check.ts';
import { createProject, endLine, eventually, loopIds, type Project } from '../support/project.ts';
import { serve } from '../support/server.ts';

const run = ['run', 'x', ...usual, '--no-baseline'];
const done = 'ralph-done-a1b2c3d4';

/** A project in which one loop was completed. */
async function projectWithLoop(): Promise<Project> {
  const project = createProject();
  project.script('agent.sh', 'cat > heard; touch done', 'echo "<promise>DONE</promise>"');
  writeCheck(project);
  expect(await project.ralphd(...run, '--loop-id', done)).toMatchObject({ code: 0 });
  return project;
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool)
  console.warn('promtool is not installed: the metrics of a server are checked by the own parser alone.');

test('B053: a server publishes its metrics as OpenMetrics, and a description of itself that is valid OpenAPI 3.1', async () => {
  const project = await projectWithLoop();
  const server = await serve(project);
  const { text: description } = await server.ask('/api/openapi.json');
  expect(await isOpenApi(description)).toBe(true);
  for (const [right, wrong] of [
    ['"openapi":"3.1.0"', '"openapi":"3.0.0"'],
    ['"in":"path"', '"in":"nowhere"'],
    ['"responses":', '"answers":'],
    ['"type":"boolean"', '"type":"truth"'],
    ['"type":"apiKey"', '"type":"key"'],
  ] as const) {
    expect([wrong, await isOpenApi(description.replace(right, wrong))]).toEqual([wrong, false]);
  }

  const { status, headers, text } = await server.ask('/metrics');
  expect([status, headers['content-type']]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ]);
  const { samples, types } = parseExposition(text, 'openmetrics');
  expect(samples.find(({ name }) => name === 'ralph_loop_iterations_total')).toMatchObject({
    labels: { agent: 'command' },
    value: 1,
  });
  expect(types.get('ralph_loop_iteration_duration_seconds')).toBe('histogram');
});

test.skipIf(!hasPromtool)('B055: promtool reads the metrics of a server', async () => {
  const server = await serve(await projectWithLoop());
  const { text } = await server.ask('/metrics');
  // Exit code 3 is about the style of names, which are given here.
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect([0, 3], stderr).toContain(status);
});

test('R13: a fifth loop is refused over the API in the words of the command line, started or resumed, and nothing is left of it', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'agent: command\nagentCommand: ./agent.sh\nbaseline: false\n');
  const paused = 'ralph-paused-a1b2c3d4';
  const pausing = ['-n', '1', '--on-limit', 'pause', '--loop-id', paused];
  expect(await project.ralphd(...run, ...pausing)).toMatchObject({ code: 2 });
  for (const name of ['one', 'two', 'three', 'four']) {
    mkdirSync(path.join(project.folder, name));
    project.script(`${name}/check.sh`, 'false');
    project.script(
      `${name}/agent.sh`,
      'cat > heard',
      'echo x >> ../started',
      'until [ -e ../go ]; do sleep 0.05; done',
    );
    project.start(run, {
      RALPHD_WORKING_DIR: name,
      RALPHD_STATE_DIR: path.join(project.folder, '.ralph'),
    });
  }
  await eventually(() => (project.has('started') ? project.read('started') : '')).toBe('x\nx\nx\nx\n');
  const ids = loopIds(project);
  const { code, message, hint } = endLine(await project.ralphd(...run, '--json'));
  expect([code, message]).toEqual(['TOO_MANY_LOOPS', expect.stringContaining('the limit is 4')]);

  const server = await serve(project, ['--allow-control']);
  const { problemsOf } = createApiCheck(await server.get('/api/openapi.json'));
  for (const [address, body] of [
    ['/api/loops', { task: 'x', verify: ['./check.sh'] }],
    [`/api/loops/${paused}/resume`, { raise: [{ setting: 'maxIterations', to: 2 }] }],
  ] as const) {
    const { status, json } = await server.post(address, body);
    expect([address, status, json]).toEqual([address, 409, { error: { code, message, hint } }]);
    expect(problemsOf('POST', address, status, json)).toEqual([]);
  }
  expect(loopIds(project)).toEqual(ids);
  expect(await server.get(`/api/loops/${paused}`)).toMatchObject({
    standing: { state: 'needs', owner: { state: 'none' } },
  });
}, 60_000);
