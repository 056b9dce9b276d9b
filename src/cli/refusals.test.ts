import { expect, test } from 'vitest';
import { limitsToShow } from '../protocol/index.ts';
import { createCommandLine } from './testing/command-line.ts';

const agent = ['--agent', 'command', '--agent-command', './agent.sh'];
const usual = [...agent, '--verify', './check.sh', '--delay', '0'];

function runOf(...more: readonly string[]): readonly string[] {
  return ['run', 'x', ...usual, '--json', ...more];
}

function asJson(args: readonly string[]): readonly string[] {
  return args.includes('--json') ? args : [...args, '--json'];
}

test.each<[string, readonly string[], number, string]>([
  ['nothing to verify', ['run', 'x', ...agent], 78, 'NOTHING_TO_VERIFY'],
  [
    'no promise and nothing to verify',
    ['run', 'x', ...agent, '--no-promise', '--trust-promise'],
    78,
    'NOTHING_TO_VERIFY',
  ],
  ['two words on the promise', runOf('--no-promise', '--completion-promise', 'OVER'), 64, 'CONFLICTING_OPTIONS'],
  ['an agent that is missing', runOf('--agent-command', './nobody.sh'), 78, 'AGENT_NOT_FOUND'],
  ['a missing agent with arguments', runOf('--agent-command', './nobody.sh --fast'), 78, 'AGENT_NOT_FOUND'],
  ['an agent that is not executable', runOf('--agent-command', './data.txt'), 78, 'AGENT_NOT_EXECUTABLE'],
  ['an agent that is a folder', runOf('--agent-command', './.'), 78, 'AGENT_NOT_EXECUTABLE'],
  [
    'agent "command" without a command',
    ['run', 'x', '--agent', 'command', '--verify', 'true'],
    78,
    'AGENT_COMMAND_MISSING',
  ],
  ['an agent that is not here', ['run', 'x', '--agent', 'claude', '--verify', 'true'], 78, 'AGENT_NOT_FOUND'],
  ['an agent nobody knows', ['run', 'x', '--agent', 'cloude', '--verify', 'true'], 64, 'BAD_VALUE'],
  ['an unknown flag', runOf('--max-iteration', '5'), 64, 'UNKNOWN_FLAG'],
  ['an unknown command', ['stauts'], 64, 'UNKNOWN_COMMAND'],
  ['a flag without its value', [...runOf(), '-n'], 64, 'MISSING_VALUE'],
  ['a duration without a unit', runOf('--delay', '5'), 64, 'BAD_VALUE'],
  ['a duration that is none', runOf('--max-time', 'soon'), 64, 'BAD_VALUE'],
  ['a number that is none', runOf('-n', 'many'), 64, 'BAD_VALUE'],
  ['a prompt file that is missing', ['run', '-P', 'missing.md', ...usual], 78, 'PROMPT_UNREADABLE'],
  ['a prompt file that is a folder', ['run', '-P', '.', ...usual], 78, 'PROMPT_UNREADABLE'],
  ['a prompt file that is empty', ['run', '-P', 'empty.md', ...usual], 78, 'PROMPT_EMPTY'],
  ['an empty task', ['run', '', ...usual], 64, 'BAD_VALUE'],
  ['no prompt at all', ['run', ...usual], 78, 'PROMPT_MISSING'],
  ['a task and a prompt', runOf('--prompt', 'y'), 64, 'CONFLICTING_OPTIONS'],
  ['a task and a prompt file', runOf('-P', 'empty.md'), 64, 'CONFLICTING_OPTIONS'],
  ['a prompt and a prompt file', ['run', '-p', 'y', '-P', 'empty.md', ...usual], 64, 'CONFLICTING_OPTIONS'],
  ['a token budget that nobody reports', runOf('--max-tokens', '5000'), 78, 'BUDGET_NOT_MEASURABLE'],
  ['a cost budget that nobody reports', runOf('--max-cost', '5'), 78, 'BUDGET_NOT_MEASURABLE'],
  ['no bound at all', runOf('-n', '0'), 78, 'UNLIMITED_WITHOUT_BOUND'],
  ['two tasks', runOf('fix'), 64, 'TOO_MANY_ARGUMENTS'],
  ['attending without a terminal', runOf('--attended'), 64, 'ATTENDED_NEEDS_TERMINAL'],
  ['a mode that nobody knows', runOf('--mode', 'sleepy'), 64, 'BAD_VALUE'],
  ['a switch to a mode that nobody knows', ['mode', 'sleepy'], 64, 'BAD_VALUE'],
  ['a mode of no loop', ['mode'], 64, 'NO_LOOPS'],
  ['a note without text', ['note'], 64, 'MISSING_ARGUMENT'],
  ['a note of a kind that nobody knows', ['note', 'x', '--kind', 'rumour'], 64, 'BAD_VALUE'],
  ['a breakpoint that nobody knows', ['breakpoint', 'fix-tests', 'lunch'], 64, 'BAD_VALUE'],
  ['a rollback without a confirmation', ['rollback'], 64, 'ROLLBACK_UNCONFIRMED'],
  ['a state folder inside a file', runOf('--state-dir', 'data.txt/state'), 78, 'STATE_DIR_NOT_WRITABLE'],
  ['a loop that nobody knows', ['status', 'ralph-nobody-00000000'], 64, 'LOOP_NOT_FOUND'],
  ['a loop id that leaves the folder', ['status', '../../etc'], 64, 'LOOP_NOT_FOUND'],
  ['a resume where there is no loop', ['resume'], 64, 'NO_LOOPS'],
  ['a pause where there is no loop', ['pause'], 64, 'NO_LOOPS'],
  ['guidance without a text', ['guide'], 64, 'MISSING_ARGUMENT'],
])('%s is refused before anything is created', async (_what, args, exit, code) => {
  const line = createCommandLine();
  line.write('data.txt', 'no program');
  line.write('empty.md', ' \n');
  const ended = await line.run(asJson(args));
  const error = JSON.parse(ended.stdout) as Record<string, unknown>;
  expect(Object.keys(error)).toEqual(['type', 'code', 'message', 'hint', 'exitCode']);
  expect(error).toMatchObject({ type: 'error', code, exitCode: exit });
  expect(ended.code).toBe(exit);
  expect(ended.stderr).toContain(`ralphd: ${String(error['message'])}\n  next: ${String(error['hint'])}\n`);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect([line.has('.ralph'), line.has('heard')]).toEqual([false, false]);
});

test.each(limitsToShow.map(({ option }) => `--${option}`))(
  'B116: %s must be a number or a duration; anything else is a usage error and creates nothing',
  async (flag) => {
    const line = createCommandLine();
    for (const value of ['many', '', '-1', 'NaN', 'Infinity', '1x', '0x10']) {
      const refused = await line.run(runOf(`${flag}=${value}`));
      expect([value, refused.code, refused.stderr]).toEqual([value, 64, expect.stringContaining(flag)]);
    }
    expect(line.has('.ralph')).toBe(false);
  },
);

test.each(
  limitsToShow.filter(({ reported }) => reported !== undefined).map(({ option, setting }) => [option, setting]),
)('B116: --%s is refused for an agent that does not report it', async (option, setting) => {
  const line = createCommandLine();
  const refused = await line.run(runOf(`--${option}`, '5'));
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain(`${setting} cannot be enforced: the agent "command" does not report this value.`);
  expect(line.has('.ralph')).toBe(false);
});

test('B116: a variable that is no number is refused by its name', async () => {
  const refused = await createCommandLine().run(runOf(), { RALPHD_MAX_TOOL_CALLS: 'many' });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain('RALPHD_MAX_TOOL_CALLS must be a whole number');
});

test.each<[string, object, string]>([
  ['that never opens', { schedule: { hours: '09:00-12:00', blackout: ['08:00-13:00'] } }, 'SCHEDULE_NEVER_OPENS'],
  ['with hours that are none', { schedule: { hours: '25:00-26:00' } }, 'CONFIG_BAD_VALUE'],
  ['with a date that does not exist', { schedule: { blackout: ['2026-02-30'] } }, 'CONFIG_BAD_VALUE'],
  ['in a time zone nobody knows', { schedule: { timeZone: 'Europe/Atlantis' } }, 'CONFIG_BAD_VALUE'],
  ['with a misspelled key', { schedule: { hour: '09:00-12:00' } }, 'CONFIG_UNKNOWN_KEY'],
])('B062: a schedule %s is refused with 78 before anything is created', async (_case, config, code) => {
  const line = createCommandLine();
  line.write('ralphd.yml', JSON.stringify(config));
  const ended = await line.run(runOf());
  expect(ended.code).toBe(78);
  expect(JSON.parse(ended.stdout)).toMatchObject({ code });
  expect(line.has('.ralph')).toBe(false);
});

test.each<[string, object]>([
  ['lines outside of git', { maxLinesChanged: 100 }],
  ['files without tracking them', { maxFilesChanged: 5, iteration: { trackFileChanges: false } }],
  ['protected files without tracking them', { protect: { mode: 'stop' }, iteration: { trackFileChanges: false } }],
])('B060: a bound on changed %s is refused, because nothing would be counted', async (_case, config) => {
  const line = createCommandLine();
  line.write('ralphd.yml', JSON.stringify(config));
  const ended = await line.run(runOf());
  expect(JSON.parse(ended.stdout)).toMatchObject({ code: 'CHANGES_NOT_COUNTED', exitCode: 78 });
  expect(line.has('.ralph')).toBe(false);
});

test.each<[string, readonly string[]]>([
  ['--api-calls-per-hour', ['0', '-1', 'many', '1.5', '1e3', '9007199254740993']],
  ['--max-memory', ['0', '0B', '4', '-4GB', '4gb', 'lots', '63MiB', '999999999TB']],
  ['--min-free-disk', ['0', '0B', '5 %', '1KB', '-1GB', 'Infinity']],
])('B062: %s takes no value that would be no bound', async (flag, values) => {
  const line = createCommandLine();
  for (const value of values) {
    const refused = await line.run(runOf(`${flag}=${value}`));
    expect([value, refused.code, refused.stderr]).toEqual([value, 64, expect.stringContaining(flag)]);
  }
  expect(line.has('.ralph')).toBe(false);
});

test.each(['command', 'codex', 'gemini'])(
  'B062: API calls of the agent %s cannot be counted, so no bound is accepted',
  async (agent) => {
    const line = createCommandLine();
    line.write('ralphd.yml', JSON.stringify({ agents: { codex: { command: 'sh' }, gemini: { command: 'sh' } } }));
    const refused = await line.run(runOf('--agent', agent, '--api-calls-per-hour', '1000'));
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain(
      `resources.apiCallsPerHour cannot be enforced: the agent "${agent}" does not report`,
    );
    expect(line.has('.ralph')).toBe(false);
  },
);

test.each<[string, readonly string[], string]>([
  ['without a seed', ['--execution-mode', 'strict'], 'SEED_MISMATCH'],
  ['with a seed that it does not use', ['--execution-mode', 'logged', '--seed', '7'], 'SEED_MISMATCH'],
  [
    'of an agent that takes no seed',
    ['--execution-mode', 'seeded', '--seed', '7', '--agent', 'claude'],
    'EXECUTION_MODE_UNSUPPORTED',
  ],
])('A159 B100: an execution mode %s is refused, never pretended', async (_case, args, code) => {
  const line = createCommandLine();
  line.write('ralphd.yml', JSON.stringify({ agents: { claude: { command: 'sh' } } }));
  const refused = await line.run(runOf(...args));
  expect(JSON.parse(refused.stdout)).toMatchObject({ code, exitCode: 78 });
  expect(line.has('.ralph')).toBe(false);
});

test('A159 B100: a mode that records every run is refused where nothing is recorded', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', JSON.stringify({ executionMode: 'logged', history: { persist: false } }));
  expect(JSON.parse((await line.run(runOf())).stdout)).toMatchObject({ code: 'MODE_NOT_RECORDED', exitCode: 78 });
});

test('B060: a limit on changes alone does not bound a loop', async () => {
  const { stdout } = await createCommandLine().run(runOf('-n', '0', '--max-files-changed', '5'));
  expect(JSON.parse(stdout)).toMatchObject({ code: 'UNLIMITED_WITHOUT_BOUND' });
});

test.each<[string, object, string]>([
  ['of an unknown type', { stop: [{ type: 'file_creatd', path: 'x' }] }, 'Did you mean "file_created"?'],
  ['with a path that leads out', { failure: [{ type: 'file_created', path: '../x' }] }, 'inside the working directory'],
  [
    'with a pattern that cannot be used',
    { success: [{ type: 'not', condition: { type: 'output_pattern', pattern: '(?=x)' } }] },
    'stopConditions.success.0.condition.pattern (ralphd.yml:1:',
  ],
])('B038: a condition %s is refused with 78 before anything is created', async (_case, stopConditions, message) => {
  const line = createCommandLine();
  line.write('ralphd.yml', JSON.stringify({ stopConditions }));
  const ended = await line.run(runOf());
  expect(ended.code).toBe(78);
  expect(ended.stderr).toContain(message);
  expect(line.has('.ralph')).toBe(false);
});

test('A012: a pattern that cannot be used is refused by its setting, its file and its line', async () => {
  const line = createCommandLine();
  const hook = ['hooks:', '  - { name: a, run: "true",', '      at: [on_error],', '      ifPattern: "(?=x)" }'];
  for (const [lines, place] of [
    [
      ['stopConditions:', '  stopOnPatterns:', '    - fine', '    - "(a"'],
      'stopConditions.stopOnPatterns.1 (ralphd.yml:4:7)',
    ],
    [hook, 'hooks.0.ifPattern (ralphd.yml:4:7)'],
  ] as const) {
    line.write('ralphd.yml', lines.join('\n'));
    const refused = JSON.parse((await line.run(runOf())).stdout) as Record<string, unknown>;
    expect(refused).toMatchObject({ code: 'BAD_PATTERN', exitCode: 78 });
    expect(refused['message']).toContain(`${place} is not a valid regular expression: "`);
  }
  line.write('ralphd.yml', '');
  const { stdout } = await line.run(runOf(), { RALPHD_STOP_CONDITIONS_STOP_ON_PATTERNS: '["(?<x"]' });
  expect(stdout).toContain('(RALPHD_STOP_CONDITIONS_STOP_ON_PATTERNS) is not a valid');
});
