import { expect, test } from 'vitest';
import { runOf } from '../support/agents.ts';
import { createProject, endLine, eventually, type Project, stateOf } from '../support/project.ts';

const slow = 'echo x >> begun; [ -e go ] || sleep 1000; exit 1';

/** A loop whose ralphd was killed without warning while a program of the user's ran. */
async function killedDuring({ check = 'exit 1', ...settings }: Readonly<Record<string, unknown>>): Promise<Project> {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', String(check));
  project.script('slow.sh', slow);
  project.write('ralphd.yml', JSON.stringify({ baseline: false, ...settings }));
  const running = project.start(runOf('-n', '1'));
  await eventually(() => project.has('begun')).toBe(true);
  running.signal('SIGKILL');
  await running.ended;
  expect(project.processes()).not.toEqual([]);
  return project;
}

const hook = { name: 'slow', run: './slow.sh', timeout: '1h' };

const works: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a script of a condition', { stopConditions: { customScripts: ['./slow.sh'], scriptTimeout: '1h' } }],
  ['a check of the gate', { check: slow }],
  ['a check before the first iteration', { check: slow, baseline: true }],
  ['a hook before the agent', { hooks: [{ ...hook, at: ['pre_iteration'] }] }],
  ['a hook after the agent', { hooks: [{ ...hook, at: ['post_iteration'] }] }],
];

test.each(works)('A084: %s that outlived its ralphd is ended with the loop by abort', async (_work, settings) => {
  const project = await killedDuring(settings);
  expect((await project.ralphd('abort')).code).toBe(0);
  expect(stateOf(project)).toMatchObject({ status: 'aborted' });
  expect(project.processes()).toEqual([]);
});

test.each(works)('A084: %s that outlived its ralphd is ended by recover --mark-crashed', async (_work, settings) => {
  const project = await killedDuring(settings);
  expect((await project.ralphd('recover', '--mark-crashed')).code).toBe(0);
  expect(project.processes()).toEqual([]);
});

test('A084: a script that outlived its ralphd does not outlive an abandoned iteration', async () => {
  const project = await killedDuring({ stopConditions: { customScripts: ['./slow.sh'], scriptTimeout: '1h' } });
  await project.ralphd('skip');
  project.write('go', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ reason: 'max_iterations' });
  expect(project.processes()).toEqual([]);
});
