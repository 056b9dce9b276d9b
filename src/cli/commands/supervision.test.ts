import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createCommandLine } from '../testing/command-line.ts';

const id = 'ralph-fix-it-a1b2c3d4';
const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh', '--delay', '0'];
const run = ['run', 'Fix it', ...agent, '--loop-id', id];

/** A loop that is paused at its limit. */
async function pausedLoop() {
  const line = createCommandLine();
  writeFileSync(path.join(line.folder, 'agent.sh'), '#!/bin/sh\ncat > heard\necho more >> work\n');
  expect((await line.run([...run, '-n', '1', '--on-limit', 'pause'])).code).toBe(2);
  return line;
}

test('B058: notes and breakpoints are kept, listed and shown in the report, without a question', async () => {
  const line = await pausedLoop();
  expect((await line.run(['note', id, 'Ask Ana about the parser', '--kind', 'question'])).code).toBe(0);
  expect((await line.run(['note', '--list'])).stdout).toMatch(
    /question: Ask Ana about the parser \(after iteration 1/u,
  );
  expect((await line.run(['report', id])).stdout).toContain('question: Ask Ana about the parser');
  expect((await line.run(['breakpoint', id, '7'])).stdout).toBe(`${id} asks before iteration 7.\n`);
  expect((await line.run(['breakpoint', id, 'completion'])).code).toBe(0);
  expect((await line.run(['breakpoint', id, '7', '--remove'])).stdout).toBe(`${id} asks before completion.\n`);
  expect((await line.run(['breakpoint', '--json'])).stdout).toBe(`{"loopId":"${id}","breakpoints":["completion"]}\n`);
  expect((await line.run(['rollback', id, '--yes'])).stderr).toContain('the loop is not waiting for a decision');
});

test('B065: the mode is shown with every switch so far, and an attended loop is not resumed without a terminal', async () => {
  const line = await pausedLoop();
  expect((await line.run(['mode', id, 'attended'])).stdout).toBe(`${id} is attended now.\n`);
  expect((await line.run(['mode', id])).stdout).toMatch(/^\S+ is attended\.\n .* attended, was unattended/u);
  const { history } = JSON.parse((await line.run(['mode', id, '--json'])).stdout) as { history: object[] };
  expect(history).toMatchObject([{ from: 'unattended', to: 'attended', cause: 'command', sender: { face: 'cli' } }]);

  const refused = await line.run(['resume', id, '-n', '9']);
  expect(refused.code).toBe(64);
  expect(refused.stderr).toContain('--mode unattended');
  expect((await line.run(['events', id, '--json'])).stdout).not.toContain('loop.resumed');
  writeFileSync(
    path.join(line.folder, 'agent.sh'),
    '#!/bin/sh\ncat > heard\ntouch done\necho "<promise>DONE</promise>"\n',
  );
  expect((await line.run(['resume', id, '-n', '9', '--mode', 'unattended'])).code).toBe(0);
});

test('B063: the audit log lists iterations, changed files and commands, also in a file if that is wanted', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'audit: true\n');
  expect((await line.run(run)).code).toBe(0);
  const file = readFileSync(path.join(line.folder, '.ralph/audit.log'), 'utf8');
  const shown = await line.run(['audit', id, '--json']);
  expect(file).toBe(shown.stdout);
  const entries = file
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as { actor: string; action: string });
  expect(entries).toMatchObject([
    { action: 'loop.started' },
    { action: 'iteration.started' },
    { action: 'agent.finished', actor: 'command', details: { created: ['done', 'heard'] } },
    { action: 'gate.finished', details: { verdict: 'passed' } },
    { action: 'iteration.finished' },
    { action: 'loop.ended', details: { status: 'completed' } },
  ]);
  expect((await line.run(['audit'])).stdout).toContain('agent.finished');
});

test('B063: a loop completes although its audit log cannot be written, and says so', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'audit: true\nstateDir: state\n');
  await line.run(['run', 'First', ...agent, '--loop-id', 'first', '-n', '1']);
  rmSync(path.join(line.folder, 'state/audit.log'));
  mkdirSync(path.join(line.folder, 'state/audit.log'));
  rmSync(path.join(line.folder, 'done'));
  const ended = await line.run(['run', 'Second', ...agent, '--loop-id', 'second']);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('The audit log was not written');
});
