import { expect, test } from 'vitest';
import { runsOf, writeCheck } from '../support/agents.ts';
import {
  createProject,
  endLine,
  eventually,
  factsOf,
  jsonLines,
  type Project,
  type Running,
} from '../support/project.ts';

/** A project whose agent hits a usage limit in its first run and does the work in its second. */
function limitedProject(): Project {
  const project = createProject();
  writeCheck(project);
  const resetsAt = Math.floor(Date.now() / 1000) + 8_040;
  const lines = [
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } },
    {
      type: 'result',
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 429,
      api_error: 'usage_limit_reached',
      result: 'You have hit your limit',
    },
  ];
  const done = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > heard',
    'echo $$ >> started',
    'if [ $(wc -l < started) = 1 ]; then',
    ...lines.map((line) => `echo '${JSON.stringify(line)}'`),
    'exit 1; fi',
    'touch done',
    `echo '${JSON.stringify(done)}'`,
  );
  project.write('ralphd.yml', 'baseline: false\nverify: [./check.sh]\nagents: { claude: { command: ./agent.sh } }\n');
  return project;
}

async function startWaiting(project: Project, ...more: readonly string[]): Promise<Running> {
  const running = project.start(['run', 'x', '--agent', 'claude', ...more], { TZ: 'UTC' });
  await eventually(() => running.output().stderr + running.output().stdout).toMatch(/wait\.scheduled|waiting {2}/);
  return running;
}

test('B117: a wait is counted down by run, status, ls and explain; retry ends it, and it has cost nothing', async () => {
  const project = limitedProject();
  const running = await startWaiting(project);
  expect(running.output().stderr).toMatch(
    /waiting {2}2h 1[3-6]m, until (tomorrow )?\d\d:\d\d \(limit: You have hit your limit\)/,
  );
  const status = await project.ralphd('status');
  expect(status.stdout).toMatch(
    /waiting {3}2h 1[3-6]m, until (tomorrow )?\d\d:\d\d, because of the provider's limit: You/,
  );
  const [object] = jsonLines((await project.ralphd('status', '--json')).stdout);
  expect(object).toMatchObject({ phase: 'waiting', stats: { iterations: 0 }, progress: { velocity: null, streak: 0 } });
  expect(object?.['waitLeftMs']).toBeGreaterThan(8_000_000);
  expect(object?.['waitLeftMs']).toBeLessThanOrEqual(8_100_000);
  expect((await project.ralphd('ls')).stdout).toMatch(/ waiting 2h 1[3-6]m {2}x\n$/);
  const explained = await project.ralphd('explain');
  expect(explained.stdout).toMatch(/\n {2}Waiting another 2h 1[3-6]m for the provider's usage limit to reset\.\n/);
  expect(explained.stdout).toMatch(/\n {2}ralphd retry ralph-x-[0-9a-f]{8}\n {6}stop waiting and try again now\n/);
  expect((await project.ralphd('retry')).stdout).toMatch(/^ralph-x-[0-9a-f]{8} stops waiting\.\n$/);
  expect((await running.ended).code).toBe(0);
  expect(factsOf(project, 'iteration.started')).toMatchObject([
    { iteration: 1, attempt: 1 },
    { iteration: 1, attempt: 2 },
  ]);
});

test('R7, R20: a wait outlives its process: it is shown, ended for a loop that no process runs, and gone after a resume', async () => {
  const project = limitedProject();
  const running = await startWaiting(project, '--json');
  running.signal('SIGKILL');
  await running.ended;
  await eventually(() => project.processes()).toEqual([]);
  expect((await project.ralphd('explain')).stdout).toContain('Its process died; nothing was lost.');
  expect((await project.ralphd('ls')).stdout).toMatch(/crashed .* waiting 2h/);
  const sent = await project.ralphd('retry');
  expect(sent.stdout).toMatch(/^(ralph-x-[0-9a-f]{8}) stops waiting\. Resume: ralphd resume \1\n$/);
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 1 });
  expect(runsOf(project)).toBe(2);
});

test('retry of a loop that does not wait is refused', async () => {
  const project = limitedProject();
  const running = await startWaiting(project);
  await project.ralphd('retry');
  await running.ended;
  expect((await project.ralphd('retry')).code).toBe(64);
});
