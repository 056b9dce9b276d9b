import path from 'node:path';
import { expect, test } from 'vitest';
import { writeCheck } from '../support/agents.ts';
import { ask } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, jsonLines, type Project } from '../support/project.ts';

const recordings = path.resolve(import.meta.dirname, '../recordings');

/** A program that prints what the real agent printed once, keeps its prompt, arguments and environment, and works. */
function writePlayer(project: Project, recording: string, ...more: readonly string[]): void {
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > heard',
    'printf "%s\\n" "$@" >> arguments',
    'env > environment',
    'touch done',
    `cat '${recordings}/${recording}.stdout'`,
    `cat '${recordings}/${recording}.stderr' >&2`,
    ...more,
  );
}

function projectWith(recording: string, ...more: readonly string[]): Project {
  const project = createProject();
  writePlayer(project, recording, ...more);
  writeCheck(project);
  project.write('ralphd.yml', 'baseline: false\niterationDelay: "0"\nverify: [./check.sh]\n');
  return project;
}

const words = (agent: string, ...more: readonly string[]) => ['run', 'x', '--agent', agent, '--json', ...more];

test.each([
  ['claude', 'claude/2.1.325/stream-text'],
  ['codex', 'codex/0.166.0/json-arg'],
  ['gemini', 'gemini/0.61.0/stream-text'],
  ['opencode', 'opencode/1.18.33/json-arg'],
])('A014 A082 A083: a loop with %s ends verified, with its session and what it used', async (agent, recording) => {
  const project = projectWith(recording);
  const ended = await project.ralphdWith({ [`RALPHD_${agent.toUpperCase()}_BINARY`]: './agent.sh' }, words(agent));
  expect(ended.code, ended.stderr).toBe(0);
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 1 });
  const [finished] = factsOf(project, 'agent.finished');
  expect(finished).toMatchObject({ outcome: 'completed', claimed: true, sessionId: expect.any(String) });
  expect(finished?.['usage']).toMatchObject({ inputTokens: expect.any(Number), outputTokens: 42 });
  expect(project.read('heard')).toContain('x');
});

test('B117: a usage limit with a reset in the stream is waited for and costs no iteration', async () => {
  const project = createProject();
  writeCheck(project);
  const resetsAt = Math.floor(Date.now() / 1000) + 3_600;
  const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    terminal_reason: 'api_error',
    api_error_status: 429,
  };
  const lines = [limit, { ...result, api_error: 'usage_limit_reached', result: 'limit reached' }];
  project.script('agent.sh', 'cat > heard', ...lines.map((line) => `echo '${JSON.stringify(line)}'`), 'exit 1');
  project.write('ralphd.yml', 'baseline: false\nverify: [./check.sh]\nagents: { claude: { command: ./agent.sh } }\n');
  const running = project.start(words('claude'));
  await eventually(() => running.output().stdout).toContain('"type":"wait.scheduled"');
  const wait = jsonLines(running.output().stdout).find(({ type }) => type === 'wait.scheduled');
  expect(wait).toMatchObject({ cause: 'limit' });
  expect(Date.parse(String(wait?.['until']))).toBeGreaterThanOrEqual(resetsAt * 1000);
  expect(await ask(project, 'status')).toMatchObject({ phase: 'waiting', stats: { iterations: 0 } });
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('R19: an agent that does nothing but try again is ended as idle, for the reason that it gave', async () => {
  const project = createProject();
  writeCheck(project);
  const retry = {
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    max_retries: 300,
    retry_delay_ms: 100,
    error_status: 429,
  };
  const again = `while :; do echo '${JSON.stringify({ ...retry, error: 'rate_limit' })}'; sleep 0.1; done`;
  project.script('agent.sh', '[ "$1" = --version ] && exit', 'cat > heard', again);
  const settings = ['baseline: false', 'verify: [./check.sh]', 'agents: { claude: { command: ./agent.sh } }'];
  project.write('ralphd.yml', [...settings, 'iteration: { idleTimeout: 4s, killGrace: 1s }', ''].join('\n'));
  const running = project.start(words('claude'));
  await eventually(() => running.output().stdout).toContain('"type":"wait.scheduled"');
  const [run] = factsOf(project, 'agent.finished');
  expect(run).toMatchObject({ ending: { kind: 'stopped', by: 'idle' }, outcome: 'rate_limited' });
  expect(factsOf(project, 'iteration.interrupted')).toMatchObject([{ cause: 'limit' }]);
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('A015: permissions, model and further arguments reach the agent as its own flags, and secrets of others do not', async () => {
  const project = projectWith('claude/2.1.325/stream-text');
  const env = { RALPHD_CLAUDE_BINARY: './agent.sh', ANTHROPIC_API_KEY: 'for-the-agent', OPENAI_API_KEY: 'for-another' };
  const args = ['--model', 'haiku', '--permissions', 'ask', '--', '--add-dir', 'a b'];
  const ended = await project.ralphdWith(env, words('claude', ...args));
  expect(ended.code, ended.stderr).toBe(0);
  expect(project.read('arguments').trimEnd().split('\n')).toEqual([
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-mode',
    'default',
    '--model',
    'haiku',
    '--add-dir',
    'a b',
  ]);
  const environment = project.read('environment');
  expect(environment).toContain('ANTHROPIC_API_KEY=for-the-agent');
  expect(environment).toContain('CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1');
  expect(environment).not.toContain('OPENAI_API_KEY');
});

test('B135 R11: a continued session is resumed by its id, a fresh one is not', async () => {
  for (const strategy of ['continue', 'fresh']) {
    const project = createProject();
    writeCheck(project);
    const again = 'if [ -e tried ]; then touch done; else touch tried; fi';
    const play = `cat '${recordings}/claude/2.1.325/stream-text.stdout'`;
    const version = '[ "$1" = --version ] && exit';
    project.script('agent.sh', version, 'cat > heard', 'echo "$*" >> arguments', again, play);
    const settings = [
      'baseline: false',
      'iterationDelay: "0"',
      'verify: [./check.sh]',
      `session: { strategy: ${strategy} }`,
    ];
    project.write('ralphd.yml', [...settings, 'agents: { claude: { command: ./agent.sh } }', ''].join('\n'));
    const ended = await project.ralphd(...words('claude'));
    expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', iterations: 2 });
    const [first, second] = project.read('arguments').split('\n');
    const [run] = factsOf(project, 'agent.finished');
    expect(first).not.toContain('--resume');
    if (strategy === 'continue') expect(second).toContain(`--resume ${String(run?.['sessionId'])}`);
    else expect(second).not.toContain('--resume');
  }
});

test.runIf(process.getuid?.() === 0)('an agent that refuses root is refused before anything is created', async () => {
  const project = projectWith('claude/2.1.325/stream-text');
  const refused = await project.start(words('claude', '--permissions', 'full'), { RALPHD_CLAUDE_BINARY: './agent.sh' })
    .ended;
  expect(refused.code).toBe(78);
  expect(endLine(refused)).toMatchObject({ code: 'AGENT_REFUSES_ROOT', hint: expect.stringContaining('IS_SANDBOX=1') });
  expect(project.has('.ralph')).toBe(false);
});

test('agents lists what is on the PATH, with version and what it can report, and warns of an untried one', async () => {
  const project = createProject();
  project.script('claude', 'echo "2.1.325 (Claude Code)"');
  project.script('codex', 'echo "codex-cli 9.0.0"');
  project.script('gemini', 'exit 1');
  const env = { PATH: `${project.folder}:/usr/bin:/bin` };
  const [answer] = jsonLines((await project.ralphdWith(env, ['agents', '--json'])).stdout);
  expect(answer?.['agents']).toMatchObject([
    { agent: 'claude', found: true, version: '2.1.325', tried: true, reports: { cost: true, reset: true } },
    { agent: 'codex', found: true, version: '9.0.0', tried: false, reports: { cost: false } },
    { agent: 'gemini', found: true, version: null, tried: false },
    { agent: 'opencode', found: false, program: null, version: null },
  ]);
  const shown = (await project.ralphdWith(env, ['agents'])).stdout;
  expect(shown).toContain('codex is version 9.0.0; ralphd was tested with 0.166.0 to below 0.167.0.');
  expect(shown).toMatch(/opencode\s+not found/);
});

test('A083: parse-agent says what a stream means, from a file or from standard input', async () => {
  const project = createProject();
  const file = `${recordings}/claude/2.1.325/usage-limit-oauth`;
  const [parsed] = jsonLines(
    (await project.ralphd('parse-agent', 'claude', `${file}.stdout`, '--exit-code', '1', '--json')).stdout,
  );
  expect(parsed).toMatchObject({
    outcome: 'usage_limited',
    failureClass: 'limit',
    resetAt: '2026-11-15T23:11:04.000Z',
  });
  const [silent] = jsonLines((await project.ralphd('parse-agent', 'codex', '--json')).stdout);
  expect(silent).toMatchObject({ sessionId: null, costUsd: null, usage: { inputTokens: null }, events: 0 });
  expect(endLine(await project.ralphd('parse-agent', 'claud', '--json'))).toMatchObject({ code: 'AGENT_UNKNOWN' });
  expect(endLine(await project.ralphd('parse-agent', 'claude', 'missing', '--json'))).toMatchObject({
    code: 'FILE_UNREADABLE',
  });
});

test('"ralphd agents" tells a program that is not executable from one that is missing', async () => {
  const project = createProject();
  project.write('claude', 'no program');
  const ended = await project.ralphdWith({ RALPHD_CLAUDE_BINARY: './claude' }, ['agents']);
  expect(ended.stdout).toContain(`claude    not executable: ${path.join(project.folder, 'claude')}\n`);
});

test('A083: a denied tool is named with the flag that allows it, by run, status and explain', async () => {
  const project = projectWith('claude/2.1.325/write-denied', 'rm -f done');
  const env = { RALPHD_CLAUDE_BINARY: './agent.sh' };
  const { stderr } = await project.ralphdWith(env, ['run', 'x', '--agent', 'claude', '-n', '1']);
  const advice = "1 tool call: Write; allow it with -- --allowedTools 'Write', or everything with --permissions full";
  expect(stderr).toContain(`  denied   ${advice}\n`);
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ permissionDenials: 1, deniedTools: ['Write'] }]);
  const status = (await project.ralphd('status')).stdout.replaceAll(/\s+/g, ' ');
  expect(status).toContain(`denied ${advice}`);
  expect(await ask(project, 'status')).toMatchObject({ denied: { iteration: 1, count: 1, tools: ['Write'] } });
  expect(await ask(project, 'explain')).toMatchObject({
    evidence: expect.arrayContaining([`denied in iteration 1: ${advice}`]),
  });
});
