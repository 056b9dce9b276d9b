import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck } from '../support/agents.ts';
import { ask } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, journalOf, type Project, stateOf } from '../support/project.ts';

const line = (event: object) => `echo '${JSON.stringify(event)}'`;
const init = line({ type: 'system', subtype: 'init', session_id: 's', model: 'm' });
const result = line({ type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' });

/** A message of the agent that uses one tool; `$n` in the shell keeps them apart. */
const turn = [
  `printf '{"type":"assistant","message":{"id":"m%s","stop_reason":"tool_use",' "$n"`,
  `printf '"usage":{"input_tokens":60,"output_tokens":40},"content":[{"type":"tool_use","id":"t%s","name":"Bash"}]}}\\n' "$n"`,
].join('; ');

/** A project whose agent streams as Claude Code does. */
function projectWith(agent: readonly string[], settings: Readonly<Record<string, unknown>> = {}): Project {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', '[ "$1" != --version ] || exit 0', 'cat > heard', 'echo more >> work', init, ...agent);
  const config = { baseline: false, iterationDelay: '0', verify: ['./check.sh'], iteration: { killGrace: '1s' } };
  const agents = { claude: { command: './agent.sh' } };
  project.write('ralphd.yml', JSON.stringify({ ...config, agents, ...settings }));
  return project;
}

/** What the journal tells besides who has opened it. */
const factTypes = (project: Project) =>
  journalOf(project).flatMap(({ type }) => (type === 'segment.opened' ? [] : [type]));

const run = (...more: readonly string[]) => ['run', 'x', '--agent', 'claude', '--json', ...more];
const runaway = ['n=0', 'while :; do', 'n=$((n+1))', turn, 'sleep 0.05', 'done'];

test.each([
  ['--max-tool-calls', 'max_tool_calls', 5],
  ['--max-tokens', 'max_tokens', 500],
])(
  'B116: a runaway agent is ended in the middle of its iteration by %s, and its work stays',
  async (flag, rule, most) => {
    const project = projectWith(runaway);
    const ended = await project.ralphd(...run(flag, String(most)));
    expect(ended.code, ended.stderr).toBe(2);
    expect(endLine(ended)).toMatchObject({ status: 'failed', reason: rule, iterations: 1, exitCode: 2 });
    expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { kind: 'stopped', by: 'budget' } }]);
    expect(factsOf(project, 'iteration.finished')).toMatchObject([{ status: 'completed', progress: { made: true } }]);
    expect(project.read('work')).toBe('more\n');
    expect(project.processes()).toEqual([]);
  },
);

const step = [
  `printf '{"type":"step_finish","sessionID":"s","part":{"id":"p%s","reason":"tool-calls","type":"step-finish",' "$n"`,
  `printf '"tokens":{"input":60,"output":35,"reasoning":5,"cache":{"write":0,"read":0}},"cost":0.25}}\\n'`,
].join('; ');

test.each([
  ['--max-output-tokens', 'max_output_tokens', '200'],
  ['--max-cost', 'max_cost', '1.5'],
])('B116: an agent that reports each step is ended in the middle of its iteration by %s', async (flag, rule, most) => {
  const project = projectWith(runaway.map((command) => (command === turn ? step : command)));
  const args = ['run', 'x', '--agent', 'opencode', '--json', flag, most];
  const ended = await project.ralphdWith({ RALPHD_OPENCODE_BINARY: './agent.sh' }, args);
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'failed', reason: rule, iterations: 1, exitCode: 2 });
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { kind: 'stopped', by: 'budget' } }]);
});

test('B116: running time that is used up ends any agent, and the loop with it', async () => {
  const project = createProject();
  writeCheck(project);
  project.write('ralphd.yml', 'baseline: false\niteration: { killGrace: 200ms }\n');
  project.script('agent.sh', 'cat > heard', 'echo more >> work', 'sleep 1000');
  const ended = await project.ralphd(...runOf('--max-time', '500ms'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_time', iterations: 1, exitCode: 2 });
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { kind: 'stopped', by: 'budget' } }]);
});

test('B116: with "budgetPolicy: finish" the agent finishes its iteration, and a proof counts', async () => {
  const slow = ['for n in 1 2 3 4; do', turn, 'done', 'sleep 1.5', 'touch done', result];
  const project = projectWith(slow, { budgetPolicy: 'finish' });
  const ended = await project.ralphd(...run('--max-tool-calls', '2'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, exitCode: 0 });
  expect(await ask(project, 'status')).toMatchObject({ spent: { toolCalls: 4, tokens: 400, outputTokens: 160 } });
});

test('B116: a new owner continues with the agent of a dead one, and with the rest of the budget', async () => {
  const stepped = [
    'n=1',
    turn,
    'until [ -e go ]; do sleep 0.05; done',
    'for n in 2 3 4; do',
    turn,
    'done',
    'sleep 1000',
  ];
  const project = projectWith(stepped);
  const first = project.start(run('--max-tool-calls', '4'));
  await eventually(() => project.has('heard')).toBe(true);
  await eventually(() => first.output().stdout).toContain('"type":"agent.started"');
  first.signal('SIGKILL');
  await first.ended;
  project.write('go', '');
  const ended = await project.ralphd('resume', '--json');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'failed', reason: 'max_tool_calls', exitCode: 2 });
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { by: 'budget' }, usage: { toolCalls: 4 } }]);
  expect(project.processes()).toEqual([]);
});

test('B116: a loop that used up two limits is resumed only with room for both, as is advised', async () => {
  const project = projectWith(['n=1', turn, result], { onLimit: 'pause' });
  const paused = await project.ralphd(...run('-n', '1', '--max-tool-calls', '1'));
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'max_tool_calls', exitCode: 2 });
  const before = factTypes(project);
  const refused = await project.ralphd('resume');
  expect(refused).toMatchObject({ code: 64, stdout: '' });
  expect(refused.stderr).toContain('RESUME_NEEDS_ROOM');
  expect(refused.stderr).toContain('1 of 1 tool calls and 1 of 1 iterations');
  const half = await project.ralphd('resume', '--max-iterations', '3');
  expect(half).toMatchObject({ code: 64 });
  expect(half.stderr).toContain('it has used up 1 of 1 tool calls');
  expect(factTypes(project)).toEqual(before);
  const { next } = (await ask(project, 'explain')) as { next: readonly { command: string }[] };
  expect(next[0]?.command).toMatch(/^ralphd resume \S+ --max-tool-calls 2 --max-iterations 2$/);
  const args = next[0]?.command.split(' ').slice(1) ?? [];
  project.script('agent.sh', 'cat > heard', 'touch done', init, result);
  expect(endLine(await project.ralphd(...args, '--json'))).toMatchObject({ status: 'completed', iterations: 2 });
});

test('B116: a resume changes only what its flags give; the settings around it have no say', async () => {
  const project = projectWith(['n=1', turn, result], { onLimit: 'pause' });
  await project.ralphd(...run('-n', '1', '--max-tool-calls', '50', '--max-time', '1h'));
  const settings = JSON.parse(project.read('ralphd.yml')) as object;
  project.write('ralphd.yml', JSON.stringify({ ...settings, maxToolCalls: 1, maxTime: '1ms', onLimit: 'fail' }));
  const env = { RALPHD_MAX_TOKENS: '1', RALPHD_MAX_OUTPUT_TOKENS: '1', RALPHD_MAX_ITERATIONS: '1' };
  const ended = await project.ralphdWith(env, ['resume', '--json', '-n', '2']);
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'max_iterations', iterations: 2 });
  const { config } = (stateOf(project).ralphd as { loop: { config: Record<string, unknown> } }).loop;
  expect(config).toMatchObject({ maxIterations: 2, maxToolCalls: 50, maxTime: '1h', onLimit: 'pause' });
  expect(config).not.toHaveProperty('maxTokens');
  expect(config).not.toHaveProperty('maxOutputTokens');
});

test('B116: a limit that is no number is a usage error and creates nothing', async () => {
  const project = projectWith([result]);
  const refused = await project.ralphd(...run('--max-tool-calls=many'));
  expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('--max-tool-calls')]);
  expect(project.has('.ralph')).toBe(false);
});

test('B116: what an agent that reports nothing used is unknown, not 0', async () => {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf('-n', '1'));
  const unknown = { tokens: null, outputTokens: null, toolCalls: null, costUsd: null, runs: 1 };
  expect(await ask(project, 'status')).toMatchObject({ spent: unknown });
  expect((await project.ralphd('status')).stdout).toMatch(/used +unknown: the agent does not report it/);
});

test('B116: if only part of the usage is reported, the rest is unknown', async () => {
  const project = projectWith(['n=1', turn, result]);
  await project.ralphd(...run('-n', '1', '--max-cost', '5'));
  expect(await ask(project, 'status')).toMatchObject({ spent: { toolCalls: 1, tokens: 100, costUsd: null } });
  const { stdout } = await project.ralphd('status');
  expect(stdout).toMatch(/used +100 tokens, 40 output tokens, 1 tool call, cost unknown/);
  expect(stdout).toMatch(/max_cost +unknown +unknown of \$5\.00 \(1 run reported nothing\)/);
});
