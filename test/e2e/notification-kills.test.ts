import { expect, test } from 'vitest';
import { respond, startReceiver } from '../../src/notify/testing/receiver.ts';
import { createProject, eventually, type Project, type Running } from '../support/project.ts';

const run = ['run', 'Make it', '--agent-command', './agent.sh', '--verify', 'test -f done', '--delay', '0s'];

/** A loop that fails at once, which is critical; it reports that to a receiver. */
function startFailing(url: string): { project: Project; running: Running } {
  const project = createProject();
  project.script('agent.sh', 'cat > /dev/null', 'exit 1');
  project.write(
    'ralphd.yml',
    `notify: [{ type: webhook, url: "${url}", on: [failed] }]\nstopConditions: { maxIterationFailureStreak: 1 }\n`,
  );
  return { project, running: project.start([...run, '--no-baseline', '--loop-id', 'it']) };
}

async function kill(running: Running): Promise<void> {
  running.signal('SIGKILL');
  await running.ended;
}

test('B075: a critical notification whose process is killed before the answer is named, sent once more, and not again', async () => {
  let isAnswering = false;
  const { url, requests } = await startReceiver((response) => {
    if (isAnswering) respond(200)(response);
  });
  const { project, running } = startFailing(url);
  await eventually(() => requests.length).toBe(1);
  expect((await project.ralphd('notify', 'send', 'it', '--json')).stdout).toContain('"LOOP_LOCKED"');
  await kill(running);
  expect((await project.ralphd('status', 'it')).stdout).toContain('ralphd notify send ralph-it-');
  expect((await project.ralphd('doctor')).stdout).toMatch(/A notification to "webhook" \(failed\) was not sent/);
  isAnswering = true;
  const sent = await project.ralphd('notify', 'send', 'it');
  expect([sent.code, sent.stdout]).toEqual([
    0,
    expect.stringMatching(/^✓ .* webhook {2}critical {2}ralph-it-\w+: failed/),
  ]);
  expect((await project.ralphd('notify', 'send', 'it')).stderr).toMatch(/^Nothing is left to send about ralph-it-/);
  expect((await project.ralphd('doctor')).stdout).not.toContain('was not sent');
  expect(new Set(requests.map(({ headers }) => headers['x-ralphd-delivery'])).size).toBe(1);
  expect(requests).toHaveLength(2);
});

test('B075: a critical notification whose process is killed right after the answer arrives at most twice', async () => {
  const victim: { running?: Running } = {};
  const { url, requests } = await startReceiver((response, number) => {
    respond(200)(response);
    if (number === 1) victim.running?.signal('SIGKILL');
  });
  const { project, running } = startFailing(url);
  victim.running = running;
  await running.ended;
  await project.ralphd('notify', 'send', 'it');
  await project.ralphd('notify', 'send', 'it');
  expect(requests.length).toBeGreaterThanOrEqual(1);
  expect(requests.length).toBeLessThanOrEqual(2);
  expect(new Set(requests.map(({ headers }) => headers['x-ralphd-delivery'])).size).toBe(1);
});
