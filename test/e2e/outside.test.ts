import path from 'node:path';
import { expect, test } from 'vitest';
import { commandDefinitions } from '../../src/cli/definitions.ts';
import { usual, writeCheck } from '../support/agents.ts';
import { createProject, type Ended } from '../support/project.ts';

const id = 'ralph-x-a1b2c3d4';
const recording = path.resolve(import.meta.dirname, '../recordings/claude/2.1.325/write-allowedtools.stdout');

const work: readonly (readonly string[])[] = [
  ['run', 'x', ...usual, '-n', '1', '--on-limit', 'pause', '--loop-id', id],
  ...['pause', 'continue', 'skip', 'reboot', 'retry'].map((name) => [name]),
  ['guide', 'mind the gap'],
  ['mode', id, 'unattended'],
  ['resume', '-n', '2'],
  ['backup'],
  ['proof'],
];

// Of a loop that has ended: what they print does not depend on the time.
const questions: readonly (readonly string[])[] = [
  ...['status', 'explain', 'inspect', 'report', 'logs', 'events', 'stats', 'ls', 'export', 'audit'].map((name) => [
    name,
  ]),
  ...['watch', 'doctor', 'agents', 'abort', 'stop'].map((name) => [name]),
  ['init', '--dry-run'],
  ['config', 'show'],
  ['completions', 'ids'],
  ['parse-agent', 'claude', recording],
  ['parse-tests', recording],
  ['land'],
  ['note', '--list'],
  ['breakpoint', 'completion'],
  ['rollback', '--yes'],
  ['key', 'check'],
  ['ralph', 'list'],
  ...['status', 'pause', 'resume', 'abort', 'attach', 'analytics', 'reflect', 'rebuild-registry'].map((name) => [
    `ralph-${name}`,
  ]),
  ['ralph-rollback', id],
  ['ralph-migrate', '--status'],
  ['ralph-config', 'show'],
  ['ralph-memory', 'list'],
  ['import', '.', '--dry-run'],
  ['validate', `.ralph/loops/${id}/state.json`],
  ['notify', 'history'],
  ['hook', 'status'],
  ['config', 'explain', 'verifyIn'],
  ['trust'],
];

const tidying: readonly (readonly string[])[] = [['recover'], ['restore', id, '--from', 'latest'], ['gc'], ['rm', id]];

const lines = [...work, ...questions, ...tidying];

/** The demo and the self-test take their time, the server runs until it is ended, a fleet needs a database: each has tests of its own. */
const elsewhere = ['demo', 'selftest', 'serve', 'submit', 'worker', 'fleet'];

test('every command ends as a process of its own, and prints what it prints inside a test', async () => {
  const tried = [...lines.map(([name]) => name), ...elsewhere];
  expect(commandDefinitions.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([]);
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', '[ -e work ] && touch done && echo "<promise>DONE</promise>"', 'echo more >> work');
  for (const line of lines) {
    const ended = await project.program(...line);
    expect(ended.stdout + ended.stderr, line.join(' ')).not.toBe('');
    if (!questions.includes(line)) continue;
    expect(withoutNumbers(ended), line.join(' ')).toEqual(withoutNumbers(await project.ralphd(...line)));
  }
});

function withoutNumbers({ code, signal, stdout, stderr }: Ended): Ended {
  const plain = (text: string) => text.replace(/\d+/gu, 'N');
  return { code, signal, stdout: plain(stdout), stderr: plain(stderr) };
}
