import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkConfig } from './check.ts';
import { configJsonSchema } from './json-schema.ts';
import type { ConditionInput, LoopConfigInput } from './loop-config-input.ts';
import { configSchema, encodeConfig } from './schema.ts';
import { listSettings } from './setting-list.ts';

const second = 1_000;
const minute = 60 * second;
const defaults = configSchema.parse({});

test('A003 A006 A007 A008 A014 A017: an empty configuration gives the documented defaults', () => {
  expect(defaults).toMatchObject({
    workingDir: '.',
    iterationDelay: 5 * second,
    contextRedlinePercent: 85,
    attended: false,
    agent: 'claude',
    agents: { claude: { command: 'claude' } },
    stateDir: '.ralph',
    completionPromise: 'DONE',
    verifyTimeout: 10 * minute,
    permissions: 'edit',
  });
});

test('A004: no prompt file is assumed by the schema, so that the default files can be searched for', () => {
  expect(defaults.promptPath).toBeUndefined();
  expect(defaults.prompt).toBeUndefined();
});

test('A009 A010 A011 A012 A013: the stop rules are a group with its own defaults', () => {
  expect(defaults.stopConditions).toEqual({
    maxTestFailureStreak: 3,
    maxNoProgressIterations: 5,
    maxIterationFailureStreak: 5,
    maxSameErrorStreak: 3,
    stopOnPatterns: [],
    customScripts: [],
    scriptTimeout: 30 * second,
    stop: [],
    success: [],
    failure: [],
  });
});

test('A009 A015 A016 B022 B027 B033: the session settings are a group with its own defaults', () => {
  expect(defaults.session).toEqual({
    strategy: 'fresh',
    timeout: 60 * minute,
    persist: true,
    handOffBytes: 50_000,
    handOffCommits: 5,
    handOffTests: true,
    handOffFiles: [],
    warningPercent: 70,
    autoReboot: true,
    progressNotes: true,
    reboot: {
      mode: 'graceful',
      onDegradation: true,
      patterns: [],
      minIterations: 3,
      minInterval: 5 * minute,
      maxPerHour: 10,
      cooldown: minute,
    },
  });
});

test('A076 R19: the settings of an iteration have the documented defaults', () => {
  expect(defaults.iteration).toEqual({
    timeout: 30 * minute,
    idleTimeout: 15 * minute,
    startTimeout: 2 * minute,
    resultGrace: 15 * second,
    killGrace: 10 * second,
    maxOutput: 4 * 1024 ** 3,
    keepProcesses: [],
    onRunnerLoss: 'adopt',
    env: {},
    trackFileChanges: true,
    parseTests: true,
  });
});

test('A091 A115: history and persistence have the documented defaults', () => {
  expect(defaults.history).toEqual({ maxInMemory: 100, persist: true });
  expect(defaults.persistence).toEqual({
    enabled: true,
    autoSaveInterval: 30 * second,
    maxBackups: 10,
    compress: false,
    encrypt: false,
    encryptSnapshot: true,
  });
});

test('A154 A155 A156 A157 A158 A159: limits and modes have the documented defaults', () => {
  const { maxIterations, maxTime, attended, autoTest, checkpointInterval, executionMode } = defaults;
  expect({ maxIterations, maxTime, attended, autoTest, checkpointInterval, executionMode }).toEqual({
    maxIterations: 100,
    maxTime: undefined,
    attended: false,
    autoTest: true,
    checkpointInterval: 1,
    executionMode: 'default',
  });
});

test.each([
  [{ iterationDelay: 5 }, 'a duration with a unit, such as "5s" or "1h 30m"'],
  [{ iterationDelay: '1h 3x' }, 'a duration with a unit, such as "5s" or "1h 30m"'],
  [{ iterationDelay: '25d' }, 'a duration of at most 24d'],
  [{ iteration: { timeout: '0' } }, 'a duration of at least 1ms and of at most 24d'],
  [{ contextRedlinePercent: 101 }, 'a whole number from 0 to 100'],
  [{ maxIterations: -1 }, 'a whole number of at least 0'],
  [{ maxIterations: 1.5 }, 'a whole number of at least 0'],
  [{ checkpointInterval: 0 }, 'a whole number of at least 1'],
  [{ maxCostUsd: 0 }, 'a number above 0'],
  [{ attended: 'yes' }, 'true or false'],
  [{ permissions: 'all' }, 'one of ask, edit, full'],
  [{ verify: 'npm test' }, 'a list'],
  [{ verify: [[]] }, 'a command line, or a list of a program and its arguments'],
  [{ verify: ['make\0'] }, 'a command line, or a list of a program and its arguments'],
  [{ completionPromise: ' ' }, 'non-blank text (in quotes if it looks like a number)'],
  [{ iteration: { env: { PORT: 3000 } } }, 'text (in quotes if it looks like a number)'],
  [{ session: 'continue' }, 'a mapping of settings'],
])('A018: %j is refused, and the error asks for %s', (input, wanted) => {
  expect(configSchema.safeParse(input).error?.issues[0]?.message).toBe(wanted);
});

test.each([{ maxIteration: 1 }, { session: { stateDir: 'x' } }, JSON.parse('{"__proto__":{"agent":"demo"}}')])(
  'a key that is no setting is refused: %j',
  (input) => {
    expect(configSchema.safeParse(input).error?.issues[0]?.code).toBe('unrecognized_keys');
  },
);

const written = fc.constantFrom('1ms', '5s', '1h 30m', '1.5h', '2d');
const command = fc.oneof(fc.constantFrom('npm test', 'make -s'), fc.constant(['sh', '-c', '']));
const anyInput = fc.record(
  {
    maxIterations: fc.nat({ max: 1_000 }),
    maxTime: written,
    maxCostUsd: fc.double({ min: 0.01, max: 1_000, noNaN: true }),
    iterationDelay: fc.oneof(written, fc.constant('0')),
    completionPromise: fc.constantFrom(null, 'DONE', 'All green ✓'),
    verify: fc.array(command, { maxLength: 3 }),
    agentCommand: command,
    agents: fc.record({ codex: fc.record({ command: fc.constant('/opt/codex') }) }, { requiredKeys: [] }),
    iteration: fc.record(
      { timeout: written, env: fc.dictionary(fc.constantFrom('A', '_b', 'C1'), fc.string({ unit: 'grapheme' })) },
      { requiredKeys: [] },
    ),
    session: fc.record({ strategy: fc.constantFrom('fresh', 'continue'), timeout: written }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<LoopConfigInput>;

test('A018 R20: any configuration survives being written with human durations and read back', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const config = configSchema.parse(input);
      const text = JSON.stringify(encodeConfig(config));
      expect(configSchema.parse(JSON.parse(text))).toEqual(config);
    }),
  );
});

test('A018: durations are written as people write them', () => {
  expect(encodeConfig(defaults)).toMatchObject({ iterationDelay: '5s', session: { timeout: '1h' } });
});

test('the JSON Schema is valid draft 2020-12 and agrees with the schema', () => {
  const validate = new Ajv2020({ strict: true, strictTuples: false }).compile(configJsonSchema());
  expect(validate({})).toBe(true);
  expect(validate({ iterationDelay: 5 })).toBe(false);
  expect(validate({ iterationDelay: '5 apples' })).toBe(false);
  expect(validate({ maxIteration: 5 })).toBe(false);
  expect(validate({ contextRedlinePercent: 101 })).toBe(false);
  expect(validate(encodeConfig(defaults))).toBe(true);
  fc.assert(
    fc.property(anyInput, (input) => {
      expect(validate(input)).toBe(true);
    }),
  );
});

test('every setting and every group is described in one sentence', () => {
  const missing: string[] = [];
  const visit = (node: { description?: string; properties?: object }, path: string): void => {
    if (path !== '' && !/^[A-Z].*\.$/.test(node.description ?? '')) missing.push(path);
    for (const [key, child] of Object.entries(node.properties ?? {}) as [string, object][])
      visit(child, `${path}.${key}`);
  };
  visit(configJsonSchema(), '');
  expect(missing).toEqual([]);
});

test('the list of settings names each one with the form in which it is written', () => {
  const forms = Object.fromEntries(listSettings().map(({ path, form }) => [path, form]));
  expect(forms).toMatchObject({
    maxIterations: 'number',
    attended: 'toggle',
    verify: 'list',
    agentCommand: 'command',
    completionPromise: 'text',
    maxTime: 'text',
    'iteration.timeout': 'text',
    'iteration.env': 'map',
    'agents.claude.command': 'text',
  });
  expect(forms).not.toHaveProperty('iteration');
});

test('R9: without a limit on iterations another limit is required', () => {
  const codes = (input: LoopConfigInput) => checkConfig(configSchema.parse(input)).map(({ code }) => code);
  expect(codes({})).toEqual([]);
  expect(codes({ maxIterations: 0 })).toEqual(['UNLIMITED_WITHOUT_BOUND']);
  for (const bound of [{ maxTime: '1h' }, { maxCostUsd: 5 }, { maxTokens: 1_000 }])
    expect(codes({ maxIterations: 0, ...bound })).toEqual([]);
  const codesWith = (stop: ConditionInput) => codes({ maxIterations: 0, stopConditions: { stop: [stop] } });
  const hour: ConditionInput = { type: 'max_duration', duration: '1h' };
  expect(codesWith({ type: 'any', conditions: [{ type: 'never' }, hour] })).toEqual([]);
  expect(codesWith({ type: 'all', conditions: [{ type: 'never' }, hour] })).toEqual(['UNLIMITED_WITHOUT_BOUND']);
});

test('the agent "command" needs a command', () => {
  expect(checkConfig(configSchema.parse({ agent: 'command' })).map(({ code }) => code)).toEqual([
    'AGENT_COMMAND_MISSING',
  ]);
  expect(checkConfig(configSchema.parse({ agent: 'command', agentCommand: './agent.sh' }))).toEqual([]);
});

test('A016: a session that is to be continued must be recorded', () => {
  const codes = (session: object) => checkConfig(configSchema.parse({ session })).map(({ code }) => code);
  expect(codes({ strategy: 'continue', persist: false })).toEqual(['SESSION_NOT_STORED']);
  expect(codes({ strategy: 'continue' })).toEqual([]);
  expect(codes({ persist: false })).toEqual([]);
});
