import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { runsOf, usual, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import { findOldNode } from '../support/old-node.ts';
import { createProject, endLine, eventually, factsOf, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import { hasTerminal, type InTerminal, quoted, startLineInTerminal } from '../support/terminal.ts';

const oldNode = findOldNode();
const run = quoted(['run', 'x', ...usual]);
const installed = quoted([launcher]);

interface Line {
  readonly line: string;
  /** The first `node` on the PATH; the one that runs this test when left out. */
  readonly node?: string | undefined;
}

async function startWorking(context: TestContext, { line, node }: Line): Promise<[Project, InTerminal]> {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const PATH = [path.dirname(node ?? process.execPath), project.env['PATH']].join(path.delimiter);
  const terminal = startLineInTerminal(project, line, { PATH });
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => factsOf(project, 'agent.started')).toHaveLength(1);
  return [project, terminal];
}

async function expectGoesOn(project: Project, terminal: InTerminal): Promise<void> {
  terminal.close();
  await terminal.ended;
  // The agent is let go only after everybody had the signal: one that is paused by it would not complete.
  project.write('finish', '');
  project.write('go-1', '');
  await eventually(() => project.processes()).toEqual([]);
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'completed' });
}

test.for<readonly [string, Line]>([
  ['ralphd run', { line: `nohup ${installed} ${run} > out 2>&1 & wait` }],
  ['ralphd run, in the foreground', { line: `nohup ${installed} ${run}` }],
  ['a shell that ignores SIGHUP', { line: `trap '' HUP; exec ${installed} ${run}` }],
  ['node bin/ralphd.mjs run', { line: `/bin/bash -c "nohup node ${installed} ${run} > out 2>&1 & wait"` }],
])('B113: under nohup, a loop continues when its terminal is closed: %s', async ([, line], context) => {
  await expectGoesOn(...(await startWorking(context, line)));
});

test('B113: under nohup, a loop continues through the launcher of an older Node', async (context) => {
  if (oldNode === undefined) context.skip('no older Node on the PATH');
  const line = `nohup ${installed} ${run} > out 2>&1 & wait`;
  await expectGoesOn(...(await startWorking(context, { line, node: oldNode })));
});

test('R5 A064: without nohup, closing the terminal pauses the loop, and a resume continues', async (context) => {
  const [project, terminal] = await startWorking(context, { line: `exec ${installed} ${run}` });
  terminal.close();
  await eventually(() => project.processes()).toEqual([]);
  expect(readJson(project, 'state.json')).toMatchObject({ status: 'paused', ralphd: { reason: 'interrupted' } });
  project.write('finish', '');
  project.write('go-2', '');
  const resumed = await project.ralphd('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', iterations: 1, exitCode: 0 });
});
