import { expect, test } from 'vitest';
import { usual, writeCheck } from '../support/agents.ts';
import { createProject, eventually, factsOf, journalOf, type Project } from '../support/project.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';

const id = 'ralph-attended-a1b2c3d4';

/** An agent that keeps its prompts and is done in its third run. */
function attendedProject(): Project {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo run >> runs',
    'cat > "prompt-$(grep -c . runs)"',
    '[ $(grep -c . runs) -ge 3 ] && touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  project.script('editor.sh', 'echo "Only look at the parser" > "$1"');
  return project;
}

const run = ['run', 'Fix the tests', ...usual, '--attended', '--loop-id', id];

test('A008, B057: a person at the terminal guides, edits, skips, looks and accepts, and every decision is on record', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = attendedProject();
  project.env['EDITOR'] = './editor.sh';
  const terminal = startInTerminal(project, run);
  const shows = async (text: string) => await eventually(() => terminal.output().stdout).toContain(text);

  await shows('Start iteration 1?');
  terminal.press('g');
  await shows('Guidance for every prompt');
  terminal.press('Mind the gap\r');
  await eventually(() => journalOf(project).map(({ type }) => type)).toContain('command.accepted');
  terminal.press('c');
  await shows('Start iteration 2?');
  expect(project.read('prompt-1')).toContain('Mind the gap');
  terminal.press('s');
  await shows('Start iteration 3?');
  terminal.press('e');
  await shows('Start iteration 4?');
  expect(project.read('prompt-2')).toMatch(/## Task\n\nOnly look at the parser\n$/u);
  terminal.press('d');
  await shows('No changed lines are known.');
  terminal.press('c');
  await shows('Accept iteration 4 as the result?');
  expect(project.read('prompt-3')).toMatch(/## Task\n\nFix the tests\n$/u);
  terminal.press('c');
  expect((await terminal.ended).code).toBe(0);

  expect(factsOf(project, 'question.answered')).toMatchObject([
    { point: 'iteration', iteration: 1, decision: 'continue', by: 'person', sender: { face: 'cli' } },
    { point: 'iteration', iteration: 2, decision: 'skip' },
    { point: 'iteration', iteration: 3, decision: 'continue', prompt: 'Only look at the parser' },
    { point: 'iteration', iteration: 4, decision: 'continue' },
    { point: 'completion', iteration: 4, decision: 'continue' },
  ]);
});

test('B057: a loop that is killed while it asks runs nothing; it asks again, and any terminal may decide', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = attendedProject();
  const first = startInTerminal(project, run);
  await eventually(() => first.output().stdout).toContain('Start iteration 1?');
  const owner = JSON.parse((await project.ralphd('status', id, '--json')).stdout) as { owner: { pid: number } };
  process.kill(owner.owner.pid, 'SIGKILL');
  await first.ended;
  expect(project.has('runs')).toBe(false);

  const second = startInTerminal(project, ['resume', id]);
  await eventually(() => second.output().stdout).toContain('Start iteration 1?');
  expect((await project.ralphd('status', id)).stdout).toMatch(/mode +attended[^]*asks +Start iteration 1\?/u);
  expect((await project.ralphd('mode', id, 'attended')).code).toBe(64);
  expect((await project.ralphd('continue', id)).code).toBe(0);
  await eventually(() => second.output().stdout).toContain('Start iteration 2?');
  expect((await project.ralphd('mode', id, 'unattended')).stdout).toBe(`${id} is unattended now.\n`);
  expect((await second.ended).code).toBe(0);
});

test('B057: a terminal that is closed while the loop asks leaves it paused, and nothing runs', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = attendedProject();
  const terminal = startInTerminal(project, run);
  await eventually(() => terminal.output().stdout).toContain('Start iteration 1?');
  terminal.close();
  await eventually(async () => (await project.ralphd('ls', '--json')).stdout).toContain('"paused"');
  expect(project.has('runs')).toBe(false);
});
