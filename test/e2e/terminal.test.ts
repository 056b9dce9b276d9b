import { expect, test } from 'vitest';
import { usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, factsOf, jsonLines, withoutDurations } from '../support/project.ts';

// Everything that could move a cursor, hide or reorder text; line feeds and tabs are harmless.
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const nasty = '\\033[2J\\033]0;owned\\007\\033[31mred\\010\\015\\302\\233\\342\\200\\256txt';

test('what an agent, a gate or a task prints never reaches the terminal raw', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', `printf '${nasty}\\n' >&2`, `printf '${nasty}'`, 'exit 3');
  project.script('check.sh', `printf 'error: ${nasty}\\n'`, 'exit 1');
  const task = 'task \u001b[31m\u0007\u202e\u009b here';
  const failed = await project.ralphd('run', task, ...usual, '-n', '1');
  expect(failed.stderr + failed.stdout).not.toMatch(unsafe);
  expect(failed.stderr).toContain('red txt');

  project.script('agent.sh', 'echo more >> work', `printf '${nasty}\\n<promise>DONE</promise>'`);
  const refused = await project.ralphd('run', task, ...usual, '-n', '1');
  expect(refused.stderr).toMatch(/\| error: .*red/);
  expect(refused.stderr + refused.stdout).not.toMatch(unsafe);

  for (const args of [['ls'], ['status', 'task']]) {
    const shown = await project.ralphd(...args);
    expect(shown.stderr + shown.stdout).not.toMatch(unsafe);
  }
});

test.each([{}, { NO_COLOR: '1', TERM: 'xterm-256color' }, { CI: 'true' }])(
  'a pipe gets plain lines, in an environment with %j too',
  async (env) => {
    const project = createProject();
    writeHonestAgent(project);
    writeCheck(project);
    const ended = await project.start(['run', 'Fix the tests', ...usual], env).ended;
    expect(ended.code).toBe(0);
    expect(ended.stderr + ended.stdout).not.toContain('\u001b');
    expect(withoutDurations(ended.stdout)).toMatch(
      /^✓ completed and verified \(proof: tree\), 1 iteration in 0\.1s\n {2}for the report: ralphd report \S+\n$/,
    );
  },
);

test('a run shows its task, who works on it, what counts as done, each step, and what came of it', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo more >> work',
    '[ $(wc -l < work) -ge 2 ] && touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const ended = await project.ralphd('run', 'Fix the tests', ...usual, '--loop-id', 'ralph-fix-a1b2c3d4');
  expect(withoutDurations(ended.stderr)).toMatchInlineSnapshot(`
    "ralphd ralph-fix-a1b2c3d4
      task     Fix the tests
      agent    ./agent.sh (runs with all permissions of this user)
      done     the agent prints <promise>DONE</promise> and "./check.sh" passes
      guards   check.sh
      limits   100 iterations, 30m per iteration
      state    .ralph/loops/ralph-fix-a1b2c3d4

    before the first iteration
      check    ✗ failed (exit 1) in 0.1s: ./check.sh
               not passing yet, as expected

    iteration 1
      agent    exited with code 0 after 0.1s, 1 file changed
      claim    the agent claims the task is done
      check    ✗ failed (exit 1) in 0.1s: ./check.sh
               | done is missing
      verdict  not done; the next prompt includes the reason

    iteration 2
      agent    exited with code 0 after 0.1s, 2 files changed
      claim    the agent claims the task is done
      check    ✓ passed in 0.1s: ./check.sh
      verdict  all checks pass

    "
  `);
});

test('a secret in the environment reaches the agent command, whose environment the user chose, but no fact', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo "$MY_API_KEY" > seen', 'touch done', 'echo "<promise>DONE</promise>"');
  writeCheck(project);
  const ended = await project.start(['run', 'x', ...usual, '--json'], { MY_API_KEY: 'hunter2-hunter2' }).ended;
  expect(project.read('seen')).toBe('hunter2-hunter2\n');
  expect(ended.stdout).not.toContain('hunter2');
  expect(JSON.stringify(factsOf(project, 'loop.started'))).not.toContain('hunter2');
  expect(jsonLines(ended.stdout).length).toBeGreaterThan(3);
});
