import { expect, test } from 'vitest';
import { createProject, endLine, factsOf, jsonLines, stateOf } from '../support/project.ts';

const usual = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--verify', './check.sh'];

/** A project whose agent changes a file in each run, and whose check prints the speed of that iteration. */
function projectOfSpeeds(progress: string, ...speeds: readonly number[]) {
  const project = createProject();
  project.script('agent.sh', 'cat > heard', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.script(
    'check.sh',
    `set -- ${speeds.join(' ')}`,
    'shift $(wc -l < work)',
    'echo "speed: $1 per second"',
    'exit 1',
  );
  project.write('work', '');
  project.write('ralphd.yml', progress);
  return project;
}

const settings = `progress:
  strategy: metric_velocity
  metrics:
    - { name: speed, pattern: 'speed: ([0-9.]+)', weight: 0.4 }
`;

test('B049, B050: with metric_velocity a loop whose number does not get better stops, whatever files change', async () => {
  const project = projectOfSpeeds(`${settings}stopConditions: { maxNoProgressIterations: 2 }\n`, 10, 12, 11, 12, 99);
  const ended = await project.ralphd('run', 'x', ...usual, '--json');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'no_progress', iterations: 3, exitCode: 4 });
  expect(factsOf(project, 'iteration.finished').map(({ progress }) => progress)).toEqual([
    { made: true, evidence: ['speed: 12, previous best 10'], score: 0.4 },
    { made: false, evidence: ['no measure improved'], score: 0 },
    { made: false, evidence: ['no measure improved'], score: 0 },
  ]);
  expect(stateOf(project).ralphd).toMatchObject({ loop: { measures: [{ name: 'speed', value: 12, best: 12 }] } });
  const [status] = jsonLines((await project.ralphd('status', '--json')).stdout);
  expect(status).toMatchObject({ measures: [{ of: 'metric', name: 'speed', value: 12, best: 12, was: 10 }] });
  expect((await project.ralphd('status')).stdout).toContain('  measured  speed 12\n');
});

test.each([
  ["pattern: 'speed: [0-9]+'", 'METRIC_WITHOUT_GROUP'],
  ["pattern: 'speed: (?=x)([0-9]+)'", 'BAD_PATTERN'],
])('B052: a metric with %s is refused before anything is created', async (pattern, code) => {
  const project = projectOfSpeeds(`progress:\n  metrics:\n    - { name: speed, ${pattern} }\n`, 1);
  expect(endLine(await project.ralphd('run', 'x', ...usual, '--json'))).toMatchObject({ code, exitCode: 78 });
  expect(project.has('.ralph')).toBe(false);
});
