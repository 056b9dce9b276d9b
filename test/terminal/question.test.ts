import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { usual, writeCheck } from '../support/agents.ts';
import type { TerminalSize } from '../support/emulator.ts';
import { createProject, eventually, factsOf, type Project } from '../support/project.ts';
import { Stage } from '../support/stage.ts';
import { hasTerminal, type InTerminal } from '../support/terminal.ts';

const id = 'ralph-greet-a1b2c3d4';
const sizes: readonly TerminalSize[] = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];

/** An agent that adds a line to greet.js, and is done in its second run. */
function greeting(): Project {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> .git/runs',
    'echo "hello $(grep -c . .git/runs)" >> greet.js',
    '[ $(grep -c . .git/runs) -ge 2 ] && touch done',
    'echo "greet() says hello now."',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  project.write('greet.js', 'one\n');
  for (const args of ['init -q', 'add .', '-c user.name=a -c user.email=a@b commit -qm first'])
    execFileSync('git', args.split(' '), { cwd: project.folder });
  return project;
}

const run = ['run', 'Make greet() say hello', ...usual, '--loop-id', id];

test.for(sizes)(
  'B057: the question reads well at $columns x $rows, from its keys to its end',
  async (size, context) => {
    if (!hasTerminal) context.skip('no terminal can be opened here');
    const project = greeting();
    const stage = new Stage(project, size);
    const terminal = stage.start(...run, '--attended');
    await stage.shows(terminal, 'Start iteration 1?');
    await stage.shows(terminal, 'waits for a decision');
    await stage.keep('question-first', terminal);
    terminal.press('c');
    await stage.shows(terminal, 'Start iteration 2?');
    await stage.shows(terminal, '  waits for a decision');
    await stage.keep('question', terminal);
    terminal.press('?');
    await stage.shows(terminal, 'this list');
    terminal.press('c');
    await stage.shows(terminal, 'Accept iteration 2');
    await stage.shows(terminal, '  waits for a decision');
    await stage.keep('question-completion', terminal);
    terminal.press('c');
    expect((await terminal.ended).code).toBe(0);
  },
);

/** Types a command after ":" and waits for its effect, and for the question to be there again. */
async function type(stage: Stage, terminal: InTerminal, line: string, expected: string): Promise<void> {
  const menus = () => terminal.output().stdout.match(/type a command/gu)?.length ?? 0;
  const before = menus();
  terminal.press(`:${line}\r`);
  await stage.shows(terminal, expected);
  if (!['shell', 'rollback'].includes(line)) await eventually(menus).toBeGreaterThan(before);
}

test('B058: a person types commands at the question; notes, breakpoints and a rollback are on record', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = greeting();
  const stage = new Stage(project, { columns: 100, rows: 50 });
  const terminal = stage.start(...run, '--attended');
  await stage.shows(terminal, 'waits for a decision  Start iteration 1?');
  terminal.press('c');
  await stage.shows(terminal, 'waits for a decision  Start iteration 2?');

  await type(stage, terminal, 'status', 'stop rules');
  await type(stage, terminal, 'logs', 'greet() says hello now.');
  await type(stage, terminal, 'tests', 'No tests have been counted yet.');
  await type(stage, terminal, 'metrics', 'iterations');
  await type(stage, terminal, 'config', 'agentCommand: "./agent.sh"');
  await type(stage, terminal, 'diff nothing.js', 'did not change nothing.js');
  await type(stage, terminal, 'diff greet.js', '+hello 1');
  await type(stage, terminal, 'lunch', 'The command must be one of');
  await type(stage, terminal, 'note issue The greeting is too short', 'note (issue)');
  await type(stage, terminal, 'break 4', 'breakpoint: 4');
  await type(stage, terminal, 'unbreak 4', 'breakpoint: 4 removed');
  await type(stage, terminal, 'shell', 'You are in the work tree.');
  terminal.press('echo mine > mine.txt; exit\r');
  await eventually(() => project.has('mine.txt')).toBe(true);
  await eventually(() => terminal.output().stdout.split('mine.txt').at(-1)).toContain('type a command');
  await type(stage, terminal, 'rollback', 'Undo what the last iteration changed?');
  terminal.press('y\r');
  await stage.shows(terminal, '1 file restored to before iteration 1: greet.js');
  expect(project.read('greet.js')).toBe('one\n');
  expect(project.read('mine.txt')).toBe('mine\n');

  terminal.press('c');
  await stage.shows(terminal, 'Accept iteration 2');
  const [, second] = factsOf(project, 'agent.finished') as { changes: { created: string[]; modified: string[] } }[];
  expect(second?.changes).toMatchObject({ created: ['done'], modified: ['greet.js'] });
  terminal.press('c');
  expect((await terminal.ended).code).toBe(0);
  const report = await project.ralphd('report', id);
  expect(report.stdout).toMatch(/note +issue: The greeting is too short \(after iteration 1/u);
  expect((await project.ralphd('note', id, '--list')).stdout).toContain('issue: The greeting is too short');
});

test('B057: the keys for a new session, a pause and the end are decisions, and the end is confirmed', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = greeting();
  const stage = new Stage(project, { columns: 100, rows: 40 });
  const first = stage.start(...run, '--attended');
  await stage.shows(first, 'waits for a decision  Start iteration 1?');
  first.press('b');
  await stage.shows(first, 'reboot');
  first.press('p');
  expect((await first.ended).code).toBe(5);

  const second = stage.start('resume', id);
  await stage.shows(second, 'waits for a decision  Start iteration 1?');
  second.press('q');
  await stage.shows(second, 'End the loop permanently?');
  second.press('n\r');
  await stage.shows(second, 'waits for a decision  Start iteration 1?');
  second.press('q');
  await eventually(() => second.output().stdout.match(/End the loop permanently/gu)?.length).toBe(2);
  second.press('y\r');
  await second.ended;
  expect((await project.ralphd('ls', '--json')).stdout).toContain('"aborted"');
  expect(project.has('.git/runs')).toBe(false);
});

test('B056: the time that is left is shown, and the loop continues by itself', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = greeting();
  const stage = new Stage(project, { columns: 100, rows: 40 });
  const terminal = stage.start(...run, '--attended', '--auto-approve-after', '2s');
  await stage.shows(terminal, 'continues by itself in 1s  Start iteration 1?');
  expect((await terminal.ended).code).toBe(0);
  expect(factsOf(project, 'question.answered')).toMatchObject(Array.from({ length: 3 }, () => ({ by: 'timeout' })));
});

test('B057: a terminal that is lost while the agent works leaves the loop paused, no agent, and nothing lost', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = greeting();
  project.script('agent.sh', 'cat > /dev/null', 'echo run >> .git/runs', 'sleep 600');
  const stage = new Stage(project, { columns: 100, rows: 40 });
  const terminal = stage.start(...run, '--attended');
  await stage.shows(terminal, 'waits for a decision  Start iteration 1?');
  terminal.press('c');
  await eventually(() => project.has('.git/runs')).toBe(true);
  terminal.close();
  await eventually(async () => (await project.ralphd('ls', '--json')).stdout).toContain('"paused"');
  await eventually(() => project.processes()).toEqual([]);

  const refused = await project.ralphd('resume', id);
  expect(refused).toMatchObject({ code: 64 });
  expect(refused.stderr).toContain('--mode unattended');
  greetingAgent(project);
  expect((await project.ralphd('resume', id, '--mode', 'unattended')).code).toBe(0);
});

function greetingAgent(project: Project): void {
  project.script('agent.sh', 'cat > /dev/null', 'touch done', 'echo "<promise>DONE</promise>"');
}
