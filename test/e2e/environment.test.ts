import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf } from '../support/agents.ts';
import { createProject, endLine, type Project } from '../support/project.ts';

const dump = (name: string) => `env | grep "^RALPHD_" | grep -v "^RALPHD_ATTEMPT=" | sort > ${name}`;

function variablesIn(project: Project, name: string): Record<string, string> {
  const lines = project.read(name).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
}

test('agents, hooks, conditions and checks learn under the same names which loop, iteration and attempt they work for', async () => {
  const project = createProject();
  project.script('agent.sh', dump('of-agent'), 'touch done', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', dump('of-check'), 'test -f done');
  project.script('hook.sh', dump('of-hook'));
  project.script('condition.sh', dump('of-condition'), 'exit 1');
  project.write(
    'ralphd.yml',
    JSON.stringify({
      baseline: false,
      hooks: [{ name: 'look', at: ['pre_iteration'], run: './hook.sh' }],
      stopConditions: { stop: [{ type: 'custom_script', run: './condition.sh' }] },
    }),
  );
  // As in a loop within a loop: what the outer one passed on is replaced.
  const outer = { RALPHD_LOOP_ID: 'ralph-outer-00000000', RALPHD_ITERATION: '9', RALPHD_HOOK: 'outer' };
  const ended = await project.ralphdWith(outer, runOf('--state-dir', 'state'));
  expect(endLine(ended)).toMatchObject({ status: 'completed' });
  expect(ended.stderr).not.toContain('environment variable');
  const common = {
    RALPHD_LOOP_ID: endLine(ended)['loopId'],
    RALPHD_LOOP_STATE_DIR: path.join(project.folder, 'state'),
    RALPHD_LOOP_AGENT: 'command',
    RALPHD_ITERATION: '1',
    RALPHD_ATTEMPT_NUMBER: '1',
  };
  expect(variablesIn(project, 'of-agent')).toMatchObject(common);
  expect(variablesIn(project, 'of-agent')).not.toHaveProperty('RALPHD_HOOK');
  expect(variablesIn(project, 'of-check')).toMatchObject(common);
  expect(variablesIn(project, 'of-hook')).toMatchObject({ ...common, RALPHD_HOOK: 'look' });
  expect(variablesIn(project, 'of-condition')).toMatchObject({ ...common, RALPHD_CONDITION: 'stop.0' });
});

test('an unknown variable of ralphd gets a warning with a suggestion, and stops nothing', async () => {
  const project = createProject();
  const listed = await project.ralphdWith({ RALPHD_STATE_DRI: 'elsewhere', RALPHD_FUTURE_THING: 'x' }, ['ls']);
  expect(listed.code).toBe(0);
  expect(listed.stderr).toContain(
    'The environment variable RALPHD_STATE_DRI is not a setting of ralphd and has no effect. Did you mean RALPHD_STATE_DIR?',
  );
  expect(listed.stderr).toContain('RALPHD_FUTURE_THING is not a setting of ralphd and has no effect.\n');
});
