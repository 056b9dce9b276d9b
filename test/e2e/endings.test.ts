import { expect, test } from 'vitest';
import { runOf, usual, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, factsOf, jsonLines, promptOf, stateOf } from '../support/project.ts';

test('A065: a loop that is done and verified ends as completed with 0, and only JSON is on stdout', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '5', '--json');
  expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  const last = endLine(ended);
  expect(last).toEqual({
    type: 'loop.ended',
    loopId: expect.stringMatching(/^ralph-x-[0-9a-f]{8}$/) as string,
    status: 'completed',
    reason: 'completed',
    verified: true,
    proof: 'tree',
    doubts: [],
    warnings: [],
    iterations: 1,
    exitCode: 0,
  });
  const lines = jsonLines(ended.stdout);
  expect(lines.filter(({ type }) => type === 'loop.ended')).toHaveLength(1);
  expect(lines.every((line) => line['loopId'] === last['loopId'])).toBe(true);
});

test('R6 R15: a claim that the gate refuses does not complete the loop, and the agent gets the result of the gate', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat >> heard', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', 'echo "two tests fail"; exit 1');
  const ended = await project.ralphd(...runOf('-n', '2'));
  expect(ended.code).toBe(2);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, iterations: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'failed' }, { verdict: 'failed' }]);
  expect(promptOf(project, 1)).not.toContain('two tests fail');
  expect(promptOf(project, 2)).toContain('> two tests fail');
});

test('A043 A065: a loop whose agent never claims runs exactly as many iterations as allowed and ends with 2', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '3'));
  expect(ended.code).toBe(2);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', iterations: 3, exitCode: 2 });
  expect(project.read('work')).toBe('more\n'.repeat(3));
});

test('completion on the last allowed iteration is completion', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo more >> work',
    '[ $(wc -l < work) -ge 3 ] && touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '3'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3, exitCode: 0 });
});

test('without a promise the gate is tried after each iteration', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', '[ $(wc -l < work) -ge 2 ] && touch done', 'echo ready');
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '5', '--no-promise'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 2, exitCode: 0 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'failed' }, { verdict: 'passed' }]);
  expect(promptOf(project, 1)).not.toContain('<promise>');
});

test('a trusted promise completes the loop unverified, which is reported at the start and at the end', async () => {
  const project = createProject();
  writeHonestAgent(project);
  const args = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--trust-promise'];
  const shown = await project.ralphd(...args);
  expect(shown.code).toBe(0);
  expect(shown.stderr).toContain("There are no checks: the agent's claim will be accepted without verification.");
  expect(shown.stdout).toContain('completed but not verified');
  const ended = await project.ralphd(...args, '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: false, exitCode: 0 });
});

test('a trusted promise does not outvote a check that fails', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'echo "<promise>DONE</promise>"');
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '1', '--trust-promise', '--verify', 'false'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
});

test('A011: a loop without progress ends with 4 and names its rule', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat > /dev/null', 'echo thinking');
  writeCheck(project);
  project.write('ralphd.yml', 'stopConditions:\n  maxNoProgressIterations: 2\n');
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(ended.code).toBe(4);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'no_progress', iterations: 2, exitCode: 4 });
});

test('A047: the same error three times in a row ends the loop with 4', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', 'echo "no such model (request $$)" >&2', 'exit 3');
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'same_error', iterations: 3, exitCode: 4 });
  expect(stateOf(project)).toMatchObject({
    error_context: { error_message: expect.stringContaining('same error') as string },
  });
});

test('R17: failed iterations in a row end the loop with 4, whatever their errors', async () => {
  const project = createProject();
  project.script('agent.sh', 'echo more >> work', "sed -n '$=' work | tr 1-9 a-i >&2", 'exit 3');
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'iteration_failures', iterations: 5, exitCode: 4 });
});

test('A078 A098: an iteration that takes too long is ended, counted as timed out, and the loop continues', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo more >> work',
    '[ -e slow ] || { touch slow; sleep 1000; }',
    'touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '3', '--iteration-timeout', '5s'));
  expect(factsOf(project, 'iteration.finished')).toMatchObject([{ status: 'timed_out' }, { status: 'completed' }]);
  expect(endLine(ended)).toMatchObject({ status: 'completed', iterations: 2, exitCode: 0 });
});

test('R4: with "onLimit: pause" a limit leaves the loop paused with 2, and a resume with a higher one continues', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'echo more >> work',
    '[ $(wc -l < work) -ge 4 ] && touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  project.write('ralphd.yml', 'onLimit: pause\n');
  const paused = await project.ralphd(...runOf('-n', '2'));
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'max_iterations', iterations: 2, exitCode: 2 });
  const again = await project.ralphd('resume', '--json');
  expect(endLine(again)).toMatchObject({ type: 'error', code: 'RESUME_NEEDS_ROOM', exitCode: 64 });
  const ended = await project.ralphd('resume', '-n', '9', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 4, exitCode: 0 });
});

test('a loop that has ended is not resumed', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  const before = project.read(`.ralph/loops/${String(stateOf(project)['loop_id'])}/state.json`);
  const refused = await project.ralphd('resume', '-n', '9', '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ type: 'error', code: 'RESUME_REFUSED' });
  expect(project.read(`.ralph/loops/${String(stateOf(project)['loop_id'])}/state.json`)).toBe(before);
});

test('a project whose agent closes every descriptor and prints nothing is judged like any other', async () => {
  const project = createProject();
  project.script('agent.sh', 'exec >&- 2>&- <&-', 'echo more >> work');
  writeCheck(project);
  const ended = await project.ralphd(...runOf('-n', '1'));
  expect(endLine(ended)).toMatchObject({ reason: 'max_iterations', iterations: 1 });
});

test('a reader of the output that goes away early does not disturb the loop', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const running = project.start(runOf('-n', '5'));
  running.closeOutput();
  await running.ended;
  expect(stateOf(project)).toMatchObject({ status: 'completed' });
  expect(project.processes()).toEqual([]);
});

test('B134: an agent that tells of its tools and tokens, and did nothing at all, fails its iterations', async () => {
  const project = createProject();
  writeCheck(project);
  const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: '' });
  project.script('agent.sh', '[ "$1" = --version ] && exit', 'cat > /dev/null', `printf '%s\\n' '${result}'`);
  project.write('ralphd.yml', 'baseline: false\niterationDelay: "0"\nverify: [./check.sh]\n');
  const env = { RALPHD_CLAUDE_BINARY: './agent.sh' };
  const ended = await project.ralphdWith(env, ['run', 'x', '--agent', 'claude', '-n', '9']);
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain('failed   The agent exited with code 0 without a word, a tool or a token.');
  expect(ended.stdout).toContain('✗ failed (same_error)');
  expect(factsOf(project, 'iteration.finished')).toMatchObject(
    [1, 2, 3].map((iteration) => ({
      iteration,
      status: 'failed',
      failure: { class: 'agent' },
      progress: { made: false },
    })),
  );
});

test('B134: the silence of a program that only prints says nothing; it makes no progress', async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'cat > /dev/null');
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '9');
  expect(ended.stdout).toContain('✗ failed (no_progress)');
  expect(ended.code).toBe(4);
});
