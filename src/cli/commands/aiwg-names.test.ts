import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exampleState } from '../../formats/testing/aiwg-example.ts';
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
  expect((await line.run(['ralph-resume', one, '--timeout', 'soon'])).code).toBe(2);
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

const start = ['--agent', 'command', '--agent-command', './agent.sh', '--completion', './check.sh'];

test('B105 B111: ralph starts a loop with the criteria, limits and defaults of AIWG', async () => {
  const line = createCommandLine();
  const done = await line.run(['ralph', 'Do it', ...start, '--loop-id', one, '--no-commit', '--json']);
  expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse((await line.run(['ralph-status', one, '--json'])).stdout)).toMatchObject({
    status: 'completed',
    verified: true,
    rules: expect.arrayContaining([
      expect.objectContaining({ rule: 'max_iterations', evidence: '1 of 10 iterations' }),
      expect.objectContaining({ rule: 'max_time', evidence: expect.stringContaining('1h') as string }),
    ]) as unknown,
  });
  expect((await line.run(['ralph', 'list'])).stdout).toContain(one);
  line.write('agent.sh', '#!/bin/sh\ncat > heard; echo more >> work\n');
  const few = ['--max-iterations', '1', '--timeout', '5', '--loop-id', two, '-f'];
  expect((await line.run(['ralph', 'Do it', ...start.slice(0, 4), '--completion', 'test -f never', ...few])).code).toBe(
    1,
  );
});

test.each([
  [['--timeout', 'soon'], 2],
  [['--max-iterations', 'many'], 2],
  [['--mode', 'strict'], 1],
  [['--interactive'], 1],
  [['--branch', 'outside-git'], 1],
  [['--colour'], 2],
])('B105 B111: ralph with %j starts nothing and exits with %d', async (args, code) => {
  const line = createCommandLine();
  expect((await line.run(['ralph', 'Do it', ...start, ...args])).code).toBe(code);
  expect(line.has('.ralph')).toBe(false);
  expect(line.has('heard')).toBe(false);
});

test('B109: ralph-analytics exports what stats does, of all loops or of one', async () => {
  const line = createCommandLine();
  await pausedLoop(line, one);
  const csv = await line.run(['ralph-analytics', '--since', '1d', '--export', 'csv']);
  expect(csv.stdout).toBe((await line.run(['stats', '--csv'])).stdout);
  const markdown = ['--loop', one, '--export', 'markdown'];
  expect((await line.run(['ralph-analytics', ...markdown])).stdout).toContain(`# ${one}`);
  expect((await line.run(['ralph-analytics', '--export', 'json'], { RALPH_LOOP_ID: 'one' })).stdout).toContain(
    '"analytics"',
  );
  const since = await line.run(['ralph-analytics', '--since', '1d', '--export', 'csv'], { RALPH_LOOP_ID: 'one' });
  expect(since.stdout).toBe(csv.stdout);
  const brief = await line.run(['ralph-analytics', one, '--brief']);
  expect(brief.stdout.length).toBeLessThan((await line.run(['ralph-analytics', one])).stdout.length);
  expect((await line.run(['ralph-analytics', '--export', 'xml'])).code).toBe(2);
});

const legacyLoop = { ...exampleState, pid: null, completion_criteria: './check.sh' };

test('B109 B110: ralph-migrate shows and imports the loops of AIWG; RALPH_AUTO_MIGRATE does so once, before a command', async () => {
  const line = createCommandLine();
  const none = await line.run(['ralph-migrate', '--status']);
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('There is no loop of AIWG')]);
  expect((await line.run(['ralph-migrate'])).code).toBe(1);
  mkdirSync(path.join(line.folder, '.aiwg/ralph'), { recursive: true });
  const text = JSON.stringify(legacyLoop);
  line.write('.aiwg/ralph/current-loop.json', text);
  const shown = await line.run(['ralph-migrate', '--status']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('would become')]);
  expect(line.has('.ralph')).toBe(false);

  const asked = await line.run(['ralph-status', '--json'], { RALPH_AUTO_MIGRATE: 'true' });
  expect([asked.code, asked.stderr]).toEqual([0, expect.stringContaining('Imported .aiwg/ralph/current-loop.json')]);
  const again = await line.run(['ralph-status', '--json'], { RALPH_AUTO_MIGRATE: 'true' });
  expect(again.stderr).toBe('');
  expect((await line.run(['ralph-migrate'])).stdout).toContain('was imported before');
  expect(readFileSync(path.join(line.folder, '.aiwg/ralph/current-loop.json'), 'utf8')).toBe(text);
});

test('B090 B109: ralph-rebuild-registry writes the registry again, and keeps a damaged one aside', async () => {
  const line = createCommandLine();
  expect((await line.run(['ralph-rebuild-registry'])).code).toBe(1);
  expect(line.has('.ralph')).toBe(false);
  await pausedLoop(line, one);
  line.write('.ralph/registry.json', '{"broken');
  const rebuilt = await line.run(['ralph-rebuild-registry', '--json']);
  expect(JSON.parse(rebuilt.stdout)).toEqual({ file: '.ralph/registry.json', active: 1 });
  expect(readFileSync(path.join(line.folder, '.ralph/registry.json'), 'utf8')).toContain(one);
  expect(readdirSync(path.join(line.folder, '.ralph')).some((name) => name.endsWith('.broken'))).toBe(true);
});

test('B109: ralph-attach is watch, and ralph-rollback needs a confirmation', async () => {
  const line = createCommandLine();
  await line.run(['run', 'x', ...agent, '--loop-id', one]);
  const attached = await line.run(['ralph-attach', one]);
  expect([attached.code, attached.stdout + attached.stderr]).toEqual([
    0,
    expect.stringContaining(`ralphd report ${one}`),
  ]);
  const unconfirmed = await line.run(['ralph-rollback', one, '--json']);
  expect([unconfirmed.code, unconfirmed.stdout]).toEqual([1, expect.stringContaining('ROLLBACK_UNCONFIRMED')]);
  const refused = await line.run(['ralph-rollback', one, '--force', '--json']);
  expect([refused.code, refused.stdout]).toEqual([1, expect.not.stringContaining('ROLLBACK_UNCONFIRMED')]);
});

test('B109: ralph-config shows settings and presets, and edits no file', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'maxIterations: 7\n');
  expect((await line.run(['ralph-config'])).stdout).toMatch(/maxIterations\s+7/u);
  expect((await line.run(['ralph-config', 'show', 'maxIterations'])).stdout).toContain('maxIterations');
  expect((await line.run(['ralph-config', 'preset', 'ci'])).stdout).toBe('maxIterations: 5\nmaxTime: 30m\n');
  expect((await line.run(['ralph-config', 'preset', 'thorough', '--json'])).stdout).toContain('"maxIterations":20');
  expect((await line.run(['ralph-config', 'preset', 'slow'])).code).toBe(2);
  for (const args of [['set', 'maxIterations', '9'], ['reset']]) {
    const refused = await line.run(['ralph-config', ...args, '--json']);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('SETTINGS_NOT_EDITED')]);
  }
  expect(readFileSync(path.join(line.folder, 'ralphd.yml'), 'utf8')).toBe('maxIterations: 7\n');
});

test.each(['ralph-memory', 'ralph-reflect'])('B109: %s is refused, and says what to use instead', async (name) => {
  const refused = await createCommandLine().run([name]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ralphd guide')]);
});

test('the names of AIWG have their own help, and are not in the list of commands', async () => {
  const line = createCommandLine();
  expect((await line.run(['--help'])).stdout).not.toContain('ralph-');
  expect((await line.run(['ralph-resume', '--help'])).stdout).toContain('--timeout MINUTES');
});
