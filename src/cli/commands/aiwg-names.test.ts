import { expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';

const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh'];

/** A loop that paused because it used up its one iteration. */
async function pausedLoop(line: CommandLine, id: string): Promise<void> {
  line.write('agent.sh', '#!/bin/sh\ncat > heard; echo more >> work\n');
  const paused = await line.run(['run', 'x', ...agent, '-n', '1', '--on-limit', 'pause', '--loop-id', id, '--force']);
  expect(paused.code).toBe(2);
}

const one = 'ralph-one-00000001';
const two = 'ralph-two-00000002';

test('A174 B106: ralph-status shows the only active loop, one that is named, the latest, and all', async () => {
  const line = createCommandLine();
  await pausedLoop(line, one);
  for (const args of [[], [one], ['--loop-id', 'one'], ['--latest']]) {
    const { code, stdout } = await line.run(['ralph-status', ...args, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { loopId: one, status: 'paused' }]);
  }
  expect((await line.run(['ralph-status', '--json'], { RALPH_LOOP_ID: 'one' })).stdout).toContain(one);
  expect((await line.run(['ralph-status', '--all'])).stdout).toContain(one);
  expect((await line.run(['ralph-status', '--check-stale'])).stdout).toBe('No loop has lost its process.\n');
  const verbose = await line.run(['ralph-status', '--verbose']);
  expect(verbose.stdout.length).toBeGreaterThan((await line.run(['ralph-status'])).stdout.length);

  await pausedLoop(line, two);
  const several = await line.run(['ralph-status', '--json']);
  expect([several.code, several.stdout + several.stderr]).toEqual([1, expect.stringContaining('LOOP_NOT_GIVEN')]);
  expect((await line.run(['ralph-status', '--latest', '--json'])).stdout).toContain(two);
});

test('B108 B111: ralph-resume raises the limits of a paused loop, and refuses one that is done', async () => {
  const line = createCommandLine();
  await pausedLoop(line, one);
  expect((await line.run(['ralph-resume', one, '--timeout', 'soon'])).code).toBe(1);
  line.write('agent.sh', '#!/bin/sh\ntouch done; echo "<promise>DONE</promise>"\n');
  const resumed = await line.run(['ralph-resume', '--max-iterations', '3', '--timeout', '60', '--json']);
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain('"maxTime"');
  const refused = await line.run(['ralph-resume', one, '--json']);
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringContaining('RESUME_REFUSED')]);
});

test('B107: ralph-abort ends a loop and keeps its changes; what ralphd cannot take back it does not pretend to', async () => {
  const line = createCommandLine();
  await pausedLoop(line, one);
  const refused = await line.run(['ralph-abort', one, '--revert', '--json']);
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringContaining('REVERT_NOT_POSSIBLE')]);
  expect((await line.run(['ralph-abort', '--loop-id', one, '--keep-changes', '--force'])).stdout).toContain('aborted');
  expect(line.has('work')).toBe(true);
});

test('B110 B111: a wrong command line exits with 2, and RALPH_STATE_DIR names the state folder', async () => {
  const line = createCommandLine();
  expect((await line.run(['ralph-status', '--lates'])).code).toBe(2);
  expect((await line.run(['ralph-pause', 'a', 'b'])).code).toBe(2);
  await pausedLoop(line, one);
  const elsewhere = await line.run(['ralph-pause'], { RALPH_STATE_DIR: '.aiwg/ralph' });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('.aiwg/ralph')]);
});

test('the names of AIWG have their own help, and are not in the list of commands', async () => {
  const line = createCommandLine();
  expect((await line.run(['--help'])).stdout).not.toContain('ralph-');
  expect((await line.run(['ralph-resume', '--help'])).stdout).toContain('--timeout MINUTES');
});
