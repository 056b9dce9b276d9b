import { expect, test } from 'vitest';
import { usual, writeCheck } from '../support/agents.ts';
import { createProject, type Ended, eventually, jsonLines, type Project } from '../support/project.ts';
import { screenOf } from '../support/screen.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';

/** An agent that prints events as Claude Code does: run N prints what it does, waits for `go-N`, and is done. */
function writeStreamingAgent(project: Project): void {
  const usage = { input_tokens: 12_000, output_tokens: 300 };
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
  const events = [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' },
    { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'I run the tests.' }], usage } },
    { type: 'assistant', message: { id: 'm2', content: [call], usage, stop_reason: 'tool_use' } },
  ];
  const result = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > heard',
    'echo $$ >> started',
    ...events.map((event) => `echo '${JSON.stringify(event)}'`),
    'n=$(($(wc -l < started)))',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'touch done',
    `echo '${JSON.stringify(result)}'`,
  );
  project.write('ralphd.yml', 'iterationDelay: "0"\nagents: { claude: { command: ./agent.sh } }\n');
}

const id = 'ralph-live-a1b2c3d4';
const run = ['run', 'x', '--agent', 'claude', '--verify', './check.sh', '--loop-id', id];

function projectWithAgent(): Project {
  const project = createProject();
  writeStreamingAgent(project);
  writeCheck(project);
  return project;
}

const patience = { timeout: 10_000 };

test.skipIf(!hasTerminal)(
  'a run in a terminal shows what its agent does on one line, which is gone at the end',
  async () => {
    const project = projectWithAgent();
    const running = startInTerminal(project, run);
    const lastRow = () => screenOf(running.output().stdout).at(-1);
    await expect.poll(lastRow, patience).toMatch(/^ {2}agent \d+s {2}24k tokens {2}.*Bash npm test$/);
    // It lives: the time passes although nothing happens.
    await expect.poll(lastRow, patience).toMatch(/^ {2}agent (?:[2-9]|\d\d+)s /);
    project.write('go-1', '');
    const { stdout, code } = await running.ended;
    expect(code).toBe(0);
    const rows = screenOf(stdout);
    expect(rows.filter((row) => /^ {2}agent \d+s/.test(row))).toEqual([]);
    expect(rows.findLast((row) => row !== '')).toMatch(/^✓ completed and verified/);
  },
);

test('without a terminal there is no live line, and --verbose shows each tool call and message as a line', async () => {
  const project = projectWithAgent();
  project.write('go-1', '');
  const { stderr } = await project.ralphd(...run, '-v');
  expect(stderr).toContain('\n  message  I run the tests.\n  tool     Bash npm test\n');
  expect(stderr).not.toMatch(/\r|\u001b|^ {2}agent \d/m);
});

test('--quiet shows only the result, with --json too, and cannot be combined with --verbose', async () => {
  const project = projectWithAgent();
  project.write('go-1', '');
  project.write('go-2', '');
  const quiet = await project.ralphd(...run, '--quiet');
  expect(quiet).toMatchObject({ code: 0, stderr: '' });
  expect(quiet.stdout).toMatch(/^✓ completed and verified .*\n$/);
  const json = await project.ralphd('run', 'x', '--agent', 'claude', '--verify', './check.sh', '-q', '--json');
  expect(jsonLines(json.stdout)).toMatchObject([{ type: 'loop.ended' }]);
  const both: Ended = await project.ralphd('run', 'x', ...usual, '-q', '-v');
  expect(both.code).toBe(64);
  expect(both.stderr).toContain('--quiet and --verbose contradict each other');
});

test('--verbose --json streams pulses among the facts', async () => {
  const project = projectWithAgent();
  const running = project.start([...run, '-v', '--json']);
  await eventually(() => running.output().stdout).toContain('"type":"pulse"');
  project.write('go-1', '');
  const pulses = jsonLines((await running.ended).stdout).filter(({ type }) => type === 'pulse');
  expect(pulses).toContainEqual(
    expect.objectContaining({ loopId: id, step: 'agent', model: 'claude-opus-5-5', iteration: 1 }),
  );
  expect(pulses).toContainEqual(expect.objectContaining({ step: 'check', index: 1, count: 1, verdict: 'passed' }));
});
