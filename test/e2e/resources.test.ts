import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { ask } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf } from '../support/project.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

test('B062: an agent whose test takes too much memory is ended, and the failure names peak, bound and process', async () => {
  const project = createProject();
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'trap "" TERM INT',
    'if [ -f tried ]; then touch done; echo "<promise>DONE</promise>"; exit 0; fi',
    'touch tried',
    'setsid sh -c "{ head -c 100000000 /dev/zero; sleep 60; } | tail -c 100000000 > /dev/null" &',
    'wait; sleep 60',
  );
  const ended = await project.ralphd(...runOf('-n', '3', '--max-memory', '80MB'));
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, iterations: 2 });
  expect(factsOf(project, 'iteration.finished')[0]).toMatchObject({
    status: 'failed',
    failure: {
      class: 'agent',
      message: expect.stringMatching(
        /^The agent and what it started used \d+ MiB of memory, but resources\.maxMemory is 80MB; the largest process was tail \(\d+\) with \d+ MiB\.$/u,
      ),
    },
  });
  expect(project.processes()).toEqual([]);
});

const line = (event: object) => `echo '${JSON.stringify(event)}'`;

test('B062: at the bound on API calls an agent is ended, its work is kept, and the loop waits until it may continue', async () => {
  const project = createProject();
  writeCheck(project);
  const turn = `printf '{"type":"assistant","message":{"id":"m%s","content":[]}}\\n' "$n"`;
  const init = line({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });
  const calls = ['n=0', 'while :; do', 'n=$((n+1))', turn, 'sleep 0.05', 'done'];
  project.script('agent.sh', '[ "$1" != --version ] || exit 0', 'cat > heard', 'echo more >> work', init, ...calls);
  const agents = { claude: { command: './agent.sh' } };
  project.write('ralphd.yml', JSON.stringify({ agents, verify: ['./check.sh'], baseline: false, iterationDelay: '0' }));
  const running = project.start(['run', 'x', '--agent', 'claude', '--json', '--api-calls-per-hour', '5']);
  await eventually(() => running.output().stdout).toContain('"wait.scheduled"');
  expect(factsOf(project, 'agent.finished')).toMatchObject([
    { ending: { kind: 'stopped', by: 'budget' }, calls: [{ count: expect.any(Number) }] },
  ]);
  expect(factsOf(project, 'iteration.finished')).toMatchObject([{ status: 'completed', progress: { made: true } }]);
  const [wait] = factsOf(project, 'wait.scheduled');
  expect(wait).toMatchObject({
    cause: 'rate',
    message: expect.stringMatching(/^\d+ of 5 API calls in the last hour$/u),
  });
  const leftMs = Date.parse(String(wait?.['until'])) - Date.now();
  expect(leftMs).toBeGreaterThan(50 * 60_000);
  expect(leftMs).toBeLessThanOrEqual(60 * 60_000);
  const { stdout: status } = await project.ralphd('status');
  expect(status).toMatch(/bounds +\d+ of 5 API calls in the last hour/u);
  expect(status).toMatch(/waiting +(59m|1h).*because of the bound on API calls per hour/u);
  expect(await ask(project, 'explain')).toMatchObject({ headline: expect.stringContaining('the bound on API calls') });
  expect((await project.ralphd('retry')).stderr).toContain('the bound on API calls per hour is reached');
  await project.ralphd('abort');
  await running.ended;
  expect(project.processes()).toEqual([]);
});

test('B062: too little free disk space refuses a start, pauses a loop at work, and frees the way once there is space', async (context) => {
  const project = createProject();
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'if [ -f ready ]; then touch done; echo "<promise>DONE</promise>"; exit 0; fi',
    'touch ready; head -c 900000 /dev/zero > .ralph/ballast; sleep 60',
  );
  const refused = await project.ralphd(...runOf('--min-free-disk', '900TB'));
  expect(refused.code).toBe(5);
  expect(endLine(refused)).toMatchObject({ code: 'DISK_LOW', message: expect.stringContaining('900TB') });
  if (!mountSmallDisk(project)) context.skip('a small disk cannot be mounted here');
  const paused = await project.ralphd(...runOf('--min-free-disk', '1200KB'));
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'environment', exitCode: 5 });
  expect(await ask(project, 'status')).toMatchObject({
    message: expect.stringMatching(/^Only \d MiB are free in .*1200KB\. Free some space, then resume the loop\.$/u),
  });
  expect(project.processes()).toEqual([]);
  expect(factsOf(project, 'iteration.finished')).toEqual([]);
  rmSync(path.join(project.folder, '.ralph/ballast'));
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 1 });
});
