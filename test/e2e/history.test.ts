import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, runsOf, usual, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { createProject, eventually, journalOf, jsonLines, loopIds, type Project } from '../support/project.ts';

const loopId = 'ralph-history-aaaa0001';
const run = runOf('-n', '5', '--loop-id', loopId);

/** The facts in the journal, as `events --json` should print them. */
function factsIn(project: Project): readonly object[] {
  const facts = journalOf(project).filter(({ type }) => type !== 'segment.opened');
  return facts.map(({ type, seq }) => ({ type, loopId, seq }));
}

function factsPrinted(...outputs: readonly string[]): readonly object[] {
  return jsonLines(outputs.join('')).map(({ type, loopId: id, seq }) => ({ type, loopId: id, seq }));
}

/** An agent that prints a line, waits for `go-N`, and prints another; the second run does the work. */
function writeSpeakingAgent(project: Project): void {
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo $$ >> started',
    'n=$(($(wc -l < started)))',
    'echo "run $n begins"',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'echo more >> work',
    'echo "run $n goes on"',
    '[ $n -lt 2 ] || { touch done; echo "<promise>DONE</promise>"; }',
  );
  writeCheck(project);
}

test('B113: who follows output and facts gets each line once, over a killed ralphd, an adopted agent and a resume', async () => {
  const project = createProject();
  writeSpeakingAgent(project);
  const running = project.start(run);
  await eventually(() => runsOf(project)).toBe(1);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  const logs = project.begin(['logs', loopId, '-f']);
  const raw = project.begin(['logs', loopId, '-f', '--raw']);
  const events = project.begin(['events', loopId, '-f', '--json']);
  await eventually(() => logs.output().stdout).toContain('run 1 begins');
  await eventually(() => raw.output().stdout).toContain('run 1 begins');
  await eventually(() => events.output().stdout).toContain('"agent.started"');
  running.signal('SIGKILL');
  await running.ended;
  // The agent continues without its ralphd, and its output is followed.
  project.write('go-1', '');
  await eventually(() => logs.output().stdout).toContain('run 1 goes on');
  const resuming = project.begin(['resume', loopId, '--json']);
  await eventually(() => runsOf(project)).toBe(2);
  project.write('go-2', '');
  expect((await resuming.ended).code).toBe(0);

  expect(await logs.ended).toMatchObject({
    code: 0,
    stdout: [
      'iteration 1',
      'run 1 begins',
      'run 1 goes on',
      '',
      'iteration 2',
      'run 2 begins',
      'run 2 goes on',
      '<promise>DONE</promise>',
      '',
    ].join('\n'),
  });
  expect(await raw.ended).toMatchObject({
    code: 0,
    stdout: 'run 1 begins\nrun 1 goes on\nrun 2 begins\nrun 2 goes on\n<promise>DONE</promise>\n',
    stderr: 'iteration 1, attempt 1\niteration 2, attempt 1\n',
  });
  const followed = await events.ended;
  expect(followed.code).toBe(0);
  expect(factsPrinted(followed.stdout)).toEqual(factsIn(project));

  const all = await project.ralphd('events', loopId, '--json');
  expect(all.stdout).toBe(followed.stdout);
  // Wherever a reader stopped, it continues at the next number.
  const lines = followed.stdout.trimEnd().split('\n');
  const seen = lines.slice(0, 5).map((line) => `${line}\n`);
  const last = Number(jsonLines(seen.join('')).at(-1)?.['seq']);
  const rest = await project.ralphd('events', loopId, '-f', '--from', String(last + 1), '--json');
  expect(factsPrinted(...seen, rest.stdout)).toEqual(factsIn(project));
});

test('B113: who follows output stops with a loop that pauses, and does not disturb it when it stops reading', async () => {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const running = project.begin(run);
  await eventually(() => runsOf(project)).toBe(1);
  const leaving = project.start(['events', loopId, '-f']);
  await eventually(() => leaving.output().stdout).toContain('agent.started');
  leaving.closeOutput();
  const interrupted = project.start(['logs', loopId, '-f']);
  const logs = project.begin(['logs', loopId, '-f', '--json']);
  await eventually(() => logs.output().stdout).toContain('"type":"attempt"');
  interrupted.signal('SIGINT');
  await interrupted.ended;
  expect((await project.ralphd('pause', loopId)).code).toBe(0);
  project.write('go-1', '');
  expect((await running.ended).code).toBe(5);
  expect((await leaving.ended).code).toBe(0);
  const { code, stdout } = await logs.ended;
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toEqual([{ type: 'attempt', loopId, iteration: 1, attempt: 1 }]);
  expect(runsOf(project)).toBe(1);
});

test('B113: output that is cut in the middle once it is over reaches a follower whole, and later readers say what is missing', async () => {
  const project = createProject();
  const bytes = 70_000_000;
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo ready',
    'until [ -e go ]; do sleep 0.05; done',
    `head -c ${bytes} /dev/zero | tr '\\0' x`,
    'touch done',
    'echo',
    'echo "<promise>DONE</promise>"',
  );
  const running = project.start(run);
  await eventually(() => loopIds(project)).toEqual([loopId]);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  const follower = project.start(['logs', loopId, '-f', '--raw']);
  await eventually(() => follower.output().stdout).toContain('ready');
  project.write('go', '');
  expect((await running.ended).code).toBe(0);
  const { stdout } = await follower.ended;
  expect(stdout).toHaveLength('ready\n'.length + bytes + '\n<promise>DONE</promise>\n'.length);
  const later = await project.ralphd('logs', loopId, '--raw');
  const kept = path.join(project.folder, `.ralph/loops/${loopId}/iterations/001/attempt-1/stdout`);
  expect(Buffer.byteLength(later.stdout)).toBe(statSync(kept).size);
  expect(later.stdout).toMatch(/\n\[… \d+ bytes left out …\] *\n/);
});

const recording = path.resolve(import.meta.dirname, '../recordings/claude/2.1.325/write-allowedtools.stdout');

test('A061: logs shows what an agent wrote and each tool call, only tool calls, JSON, or the raw output', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat > /dev/null', `cat '${recording}'`, 'echo "a warning" >&2', 'touch done');
  writeCheck(project);
  const env = { RALPHD_CLAUDE_BINARY: './agent.sh' };
  const words = ['run', 'x', '--verify', './check.sh', '--delay', '0', '--json', '--loop-id', loopId, '-n', '1'];
  await project.ralphdWith(env, words);
  const shown = async (...flags: readonly string[]) => (await project.ralphd('logs', loopId, ...flags)).stdout;
  expect(await shown()).toMatchInlineSnapshot(`
    "I will create the file.
      → Write <WORK>/hello.txt
    Created the file.

    <promise>DONE</promise>
    "
  `);
  expect(await shown('1', '--attempt', '1', '--tools')).toMatchInlineSnapshot(`
    "  ✓ Write <WORK>/hello.txt
    "
  `);
  expect(await shown('--stderr')).toBe('a warning\n');
  expect(await shown('--raw')).toContain('"type":"system"');
  expect(jsonLines(await shown('--json', '--tools')).map(({ type, name }) => [type, name])).toEqual([
    ['attempt', undefined],
    ['tool_use', 'Write'],
    ['tool_result', 'Write'],
  ]);
  const stats = jsonLines((await project.ralphd('stats', '--json')).stdout);
  expect(stats).toMatchObject([{ loops: { total: 1, byStatus: { failed: 1 } }, spent: { runs: 1 } }]);
});

test('A061: logs and events refuse what does not exist, and list what does', async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'cat > /dev/null', 'echo working');
  await project.ralphd('run', 'x', ...usual, '--json', '-n', '2', '--loop-id', loopId);
  const refused = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await project.ralphd(...words);
    expect(stdout).toBe('');
    return `${code} ${stderr.split('\n').slice(0, 2).join(' ')}`;
  };
  expect(await refused('logs', loopId, '9')).toBe(
    `64 ralphd: Loop ${loopId} has no output of iteration 9.   next: There is output of iterations 1 to 2: run "ralphd logs ${loopId} N".`,
  );
  expect(await refused('logs', loopId, '1', '--attempt', '7')).toContain('has no output of attempt 7 at iteration 1.');
  expect(await refused('logs', loopId, 'one')).toContain('The iteration must be a whole number of at least 1');
  expect(await refused('logs', loopId, '--raw', '--tools')).toContain('--raw and --tools contradict each other.');
  expect(await refused('events', loopId, '--from', '-1')).toContain('--from');
  expect(await refused('events', loopId, '--type', 'nothing.*')).toContain('--type must be a pattern');
  const gates = await project.ralphd('events', loopId, '--type', 'iteration.*', '--json');
  expect(jsonLines(gates.stdout).map(({ type }) => type)).toEqual([
    'iteration.started',
    'iteration.finished',
    'iteration.started',
    'iteration.finished',
  ]);
});

test('a secret that the agent prints in pieces is redacted in logs, and is only in its exact bytes', async () => {
  const project = createProject();
  const secret = 'hunter2-hunter2-hunter2';
  const env = { DEPLOY_TOKEN: secret };
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'printf "it is %.8s" "$DEPLOY_TOKEN"',
    'sleep 0.1',
    'printf "%s!\\n" "${DEPLOY_TOKEN#????????}"',
    'printf "\\033[31mred\\033[0m\\n"',
  );
  writeCheck(project);
  const running = project.begin(run.with(run.indexOf('-n') + 1, '1'), env);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  const followed = await project.ralphdWith(env, ['logs', loopId, '-f']);
  expect(followed.stdout).toBe('iteration 1\nit is [redacted:DEPLOY_TOKEN]!\nred\n');
  await running.ended;
  const exact = await project.ralphdWith(env, ['logs', loopId, '--raw']);
  expect(exact.stdout).toBe(`it is ${secret}!\n\u001b[31mred\u001b[0m\n`);
});
