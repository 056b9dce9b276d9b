import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseExposition } from '../../core/testing/parse-exposition.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';

const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh', '--no-baseline'];
const one = 'ralph-one-00000001';
const two = 'ralph-two-00000002';

/** A project in which one loop is done and another used up its iterations. */
async function twoLoops(): Promise<CommandLine> {
  const line = createCommandLine();
  await line.run(['run', 'Fix "=1+1"\nnow', ...agent, '--loop-id', one]);
  line.write('check.sh', '#!/bin/sh\necho "1 passed, 1 failed"; exit 1\n');
  await line.run(['run', 'Go on', ...agent, '--loop-id', two, '-n', '2', '--delay', '0s']);
  return line;
}

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.warn('promtool is not installed: the metrics are checked by the own parser alone.');

test('B053 B054: stats prints the metrics of all loops or of one, in formats that others read', async () => {
  const line = await twoLoops();
  const prometheus = await line.run(['stats', '--prometheus']);
  const { samples, types } = parseExposition(prometheus.stdout, 'prometheus');
  const valueOf = (name: string, id: string) =>
    samples.find((each) => each.name === name && each.labels['loop_id'] === id)?.value;
  expect([valueOf('ralph_loop_iterations_total', one), valueOf('ralph_loop_iterations_total', two)]).toEqual([1, 2]);
  expect(valueOf('ralph_loop_sessions_created_total', two)).toBe(2);
  expect(types.get('ralph_loop_iteration_duration_seconds')).toBe('histogram');
  // The agent reports nothing: that is unknown.
  expect(types.has('ralph_loop_tokens_total')).toBe(false);
  expect(samples.find((each) => each.name === 'ralph_loop_info' && each.labels['loop_id'] === one)?.labels).toEqual({
    loop_id: one,
    project: line.folder,
    agent: 'command',
    status: 'completed',
  });

  const open = parseExposition((await line.run(['stats', one, '--openmetrics'])).stdout, 'openmetrics');
  expect(new Set(open.samples.map(({ labels }) => labels['loop_id']))).toEqual(new Set([one]));
  expect((await line.run(['stats', '--statsd'])).stdout).toContain(`ralph_loop.${two}.iterations_total:2|g\n`);
  const json = JSON.parse((await line.run(['stats', '--json'])).stdout) as { metrics: readonly { name: string }[] };
  expect(json).toMatchObject({ numbers: { ended: 2, proven: 1, perProvenTask: { costUsd: null, costUnknown: 1 } } });
  expect((await line.run(['stats'])).stdout).toMatch(
    /^ {2}proven {5}1 of 2 that ended, on average in .+ at an unknown cost$/mu,
  );
  const names = new Set(json.metrics.map(({ name }) => name));
  expect([...types.keys()].filter((name) => !names.has(name))).toEqual([]);

  const refused = await line.run(['stats', '--prometheus', '--json']);
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([64, expect.stringContaining('CONFLICTING_OPTIONS')]);
});

test.skipIf(!hasPromtool)('B055: promtool reads the metrics', async () => {
  const line = createCommandLine();
  await line.run(['run', 'x', ...agent]);
  const { stdout } = await line.run(['stats', '--prometheus']);
  // Exit code 3 is about the style of names, which are given here.
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: stdout, encoding: 'utf8' });
  expect([0, 3], stderr).toContain(status);
});

test('B095 B096 B099: stats exports loops and iterations as CSV, Markdown and JSON, since a given time', async () => {
  const line = await twoLoops();
  const [heading, ...rows] = (await line.run(['stats', '--csv'])).stdout.trimEnd().split('\n');
  expect(heading).toMatch(/^loop_id,task_description,status,/u);
  expect(rows.map((row) => row.split(',')[0]).toSorted()).toEqual([one, two]);
  const iterations = (await line.run(['stats', two, '--csv'])).stdout.trimEnd().split('\n');
  expect(iterations.map((row) => row.split(',')[1])).toEqual(['iteration_number', '1', '2']);
  expect((await line.run(['stats', '--markdown'])).stdout).toContain(`| ${one} | Fix "=1+1" now | completed | 1 |`);
  expect((await line.run(['stats', one, '--markdown'])).stdout).toContain('| selected iteration | 1 |');
  expect((await line.run(['stats', one, '--markdown', '--brief'])).stdout).not.toContain('| 1 | 100 |');
  const { analytics } = JSON.parse((await line.run(['stats', two, '--json'])).stdout) as { analytics: object };
  expect(analytics).toMatchObject({ loop_id: two, status: 'failed', final_iteration: 2, quality_trajectory: 'stable' });

  const all = JSON.parse((await line.run(['stats', '--json', '--since', '1h'])).stdout) as { summary: object };
  expect(all.summary).toMatchObject({ total_loops_run: 2, average_iterations_per_loop: 1.5 });
  expect((await line.run(['stats', '--csv', '--since', '2999-01-01'])).stdout).toBe(`${heading}\n`);
  const wrong = await line.run(['stats', '--since', 'yesterday', '--json']);
  expect([wrong.code, wrong.stdout + wrong.stderr]).toEqual([64, expect.stringContaining('BAD_VALUE')]);
  expect((await line.run(['stats', one, '--since', '1h'])).code).toBe(64);
});
