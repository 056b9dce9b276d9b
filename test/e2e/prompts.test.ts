import { expect, test } from 'vitest';
import { runOf, usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, factsOf, promptOf, stateOf } from '../support/project.ts';

test('A052: a prompt of 300 kB in a file arrives whole on stdin', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const task = `${'é1$&`"\\ '.repeat(37_500)}the end`;
  project.write('PROMPT.md', task);
  const ended = await project.ralphd('run', ...usual, '-n', '1', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', exitCode: 0 });
  expect(project.read('heard').endsWith(`\n\n${task}\n`)).toBe(true);
  expect(JSON.stringify(stateOf(project)).length).toBeLessThan(100_000);
});

test('a prompt of 2 MB starts a loop like any other', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('PROMPT.md', `${'work '.repeat(400_000)}the end`);
  expect((await project.ralphd('run', ...usual, '-n', '1', '--json')).code).toBe(0);
  expect(project.read('heard').endsWith('work the end\n')).toBe(true);
});

test.each(['-', '-x', '--json', '$(touch hacked) `touch hacked` ; touch hacked', 'two\nlines'])(
  'a prompt of odd characters arrives as it is: %j',
  async (prompt) => {
    const project = createProject();
    writeHonestAgent(project);
    writeCheck(project);
    const ended = await project.ralphd('run', `--prompt=${prompt}`, ...usual, '-n', '1', '--json');
    expect(ended.code).toBe(0);
    expect(project.read('heard').endsWith(`\n\n${prompt}\n`)).toBe(true);
    expect(project.has('hacked')).toBe(false);
  },
);

test('a prompt that begins with a dash is taken as the value of -p', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const ended = await project.ralphd('run', '-p', '-fix the tests', ...usual, '-n', '1', '--json');
  expect(ended.code).toBe(0);
  expect(project.read('heard').endsWith('\n\n-fix the tests\n')).toBe(true);
});

test('A052: the prompt file is read afresh for each iteration', async () => {
  const project = createProject();
  project.write('PROMPT.md', 'the first task');
  project.script('agent.sh', 'cat >> heard', 'echo "the second task" > PROMPT.md');
  await project.ralphd('run', ...usual, '-n', '2', '--json');
  expect(promptOf(project, 1)).toMatch(/the first task\n$/);
  expect(promptOf(project, 2)).toMatch(/the second task\n+$/);
});

test('A055: a prompt file that vanishes pauses the loop with 78 and the fix, and a resume goes on', async () => {
  const project = createProject();
  writeCheck(project);
  project.write('PROMPT.md', 'a task');
  project.script(
    'agent.sh',
    '[ -e started ] && touch done',
    'touch started; rm -f PROMPT.md',
    'echo "<promise>DONE</promise>"',
  );
  const paused = await project.ralphd('run', ...usual, '-n', '5', '--json');
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'configuration', iterations: 1, exitCode: 78 });
  expect(stateOf(project).ralphd['message']).toContain('PROMPT.md');
  project.write('PROMPT.md', 'a task');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 2 });
});

test('arguments after "--" reach an agent that is a program, a shell line or a list, word for word', async () => {
  const project = createProject();
  writeCheck(project);
  const shown = `printf '%s|' "$@" > words; touch done; echo "<promise>DONE</promise>"`;
  project.script('agent.sh', shown);
  const words = ['--model', 'two words', '$(touch hacked)', "it's", '--'];
  const expected = `${words.join('|')}|`;

  expect((await project.ralphd(...runOf('-n', '1'), '--', ...words)).code).toBe(0);
  expect(project.read('words')).toBe(expected);
  expect(
    (await project.ralphd(...runOf('-n', '1', '--agent-command', 'true && ./agent.sh first'), '--', ...words)).code,
  ).toBe(0);
  expect(project.read('words')).toBe(`first|${expected}`);
  project.write('ralphd.yml', 'agent: command\nagentCommand: [./agent.sh, first]\nverify: [./check.sh]\n');
  expect((await project.ralphd('run', 'x', '--json', '--', ...words)).code).toBe(0);
  expect(project.read('words')).toBe(`first|${expected}`);
  expect(project.has('hacked')).toBe(false);
});

test('a check written as a list runs without a shell, one written as text is a shell line', async () => {
  const project = createProject();
  writeHonestAgent(project);
  project.write(
    'ralphd.yml',
    `verify:\n  - [sh, -c, 'echo "$1" > listed', sh, '$HOME; touch hacked']\n  - 'test -f done && echo "$PWD" > shell'\n`,
  );
  const ended = await project.ralphd('run', 'x', '--agent-command', './agent.sh', '-n', '1', '--no-baseline', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
  expect(project.read('listed')).toBe('$HOME; touch hacked\n');
  expect(project.read('shell')).toBe(`${project.folder}\n`);
  expect(project.has('hacked')).toBe(false);
});

test('a baseline tells what was red before, and neither completes nor blocks a loop', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('done', '');
  const green = await project.ralphd(...runOf('-n', '1'));
  expect(endLine(green)).toMatchObject({ status: 'completed', iterations: 1 });
  expect(factsOf(project, 'baseline.finished')).toMatchObject([{ verdict: 'passed' }]);
});

test('an agent that echoes its prompt has claimed nothing', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'cat');
  const ended = await project.ralphd(...runOf('-n', '1', '--verify', 'true'));
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ claimed: false }]);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations' });
});
