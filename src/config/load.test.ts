import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { childVariables, configSchema, encodeConfig, listSettings } from '../protocol/index.ts';
import { settingVariable, type UnknownVariable } from './environment.ts';
import { loadConfig } from './load.ts';

async function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const root = await mkdtemp(path.join(tmpdir(), 'ralphd-config-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const cwd = path.join(root, 'project');
  await mkdir(cwd);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), content);
  }
  return { root, cwd, env: { HOME: path.join(root, 'home') } };
}

async function failureOf(loading: Promise<unknown>) {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LoopError)) throw new Error('Expected a LoopError.', { cause: error });
  return error.failure;
}

test('without any source every setting has its default, and its provenance is “default”', async () => {
  const { cwd, env } = await scratch();
  const { config, provenance, isGiven, files } = await loadConfig({ cwd, env });
  expect(listSettings().filter(({ path: setting }) => isGiven(setting))).toEqual([]);
  expect(config).toEqual(configSchema.parse({}));
  expect(files).toEqual([]);
  expect(new Set(Object.values(provenance).map(({ source }) => source))).toEqual(new Set(['default']));
  expect(provenance).toHaveProperty(['iteration.timeout']);
  expect(provenance).not.toHaveProperty(['maxTime']);
});

test('each setting comes from the strongest source that sets it, and its provenance names the place', async () => {
  const { root, cwd, env } = await scratch({
    'project/ralphd.yml': 'maxIterations: 3\niteration:\n  timeout: 3m\n  killGrace: 3s\nmodel: from-project\n',
    'home/.config/ralphd/config.yml': 'maxIterations: 4\nmodel: from-user\npermissions: full\n',
  });
  const { config, provenance, files } = await loadConfig({
    cwd,
    env: { ...env, RALPHD_MAX_ITERATIONS: '2', RALPHD_ITERATION_TIMEOUT: '2m' },
    flags: { maxIterations: '1' },
    flagNames: { maxIterations: '-n' },
  });
  const user = path.join(root, 'home/.config/ralphd/config.yml');
  expect(config).toMatchObject({
    maxIterations: 1,
    model: 'from-project',
    permissions: 'full',
    iteration: { timeout: 120_000, killGrace: 3_000, idleTimeout: 900_000 },
  });
  expect(provenance).toMatchObject({
    maxIterations: { source: 'flag', where: '-n' },
    'iteration.timeout': { source: 'env', where: 'RALPHD_ITERATION_TIMEOUT' },
    'iteration.killGrace': { source: 'project', where: 'ralphd.yml:4:3' },
    model: { source: 'project', where: 'ralphd.yml:5:1' },
    permissions: { source: 'user', where: `${user}:3:1` },
    'iteration.idleTimeout': { source: 'default' },
  });
  expect(files).toEqual([path.join(cwd, 'ralphd.yml'), user]);
});

interface Limits {
  readonly maxIterations?: number;
  readonly attended?: boolean;
}

/** The settings of a project without those that would weaken what the user set. */
function asStrict<Layer extends Limits>(project: Layer, user: Limits): Layer {
  const limit = (layer: Limits) => layer.maxIterations || Number.POSITIVE_INFINITY;
  const { maxIterations, attended, ...rest } = project;
  const isMore = user.maxIterations !== undefined && limit(project) > limit(user);
  const isLeft = user.attended === true && attended === false;
  return {
    ...rest,
    ...(maxIterations === undefined || isMore ? {} : { maxIterations }),
    ...(attended === undefined || isLeft ? {} : { attended }),
  } as Layer;
}

test('A018: whatever the sources set, the strongest wins for each setting and the rest keeps its default', async () => {
  const { root, cwd, env } = await scratch();
  const xdg = path.join(root, 'xdg');
  await mkdir(path.join(xdg, 'ralphd'), { recursive: true });
  const values = {
    maxIterations: fc.nat({ max: 99 }),
    attended: fc.boolean(),
    verify: fc.array(fc.constantFrom('make', 'npm test'), { maxLength: 2 }),
    iterationDelay: fc.constantFrom('0s', '1s', '1h 30m'),
    model: fc.constantFrom('a', '7', 'true'),
  };
  const layer = fc.record(values, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(layer, layer, layer, layer, async (flags, variables, given, user) => {
      await writeFile(path.join(cwd, 'ralphd.yml'), JSON.stringify(given));
      const project = asStrict(given, user);
      await writeFile(path.join(xdg, 'ralphd/config.yml'), JSON.stringify(user));
      const texts: Record<string, string> = {};
      for (const [key, value] of Object.entries(variables))
        texts[settingVariable(key) ?? ''] = typeof value === 'string' ? value : JSON.stringify(value);
      const loaded = await loadConfig({
        cwd,
        env: { ...env, XDG_CONFIG_HOME: xdg, ...texts },
        flags,
      });

      expect(loaded.config).toEqual(configSchema.parse({ ...user, ...project, ...variables, ...flags }));
      for (const key of Object.keys(values)) {
        const setBy = [flags, variables, project, user].findIndex((each) => Object.hasOwn(each, key));
        const source = ['flag', 'env', 'project', 'user'][setBy] ?? (key === 'model' ? undefined : 'default');
        expect(loaded.provenance[key]?.source).toBe(source);
      }
    }),
    { numRuns: 60 },
  );
});

test('A018: a configuration written to a file loads as the same configuration', async () => {
  const config = configSchema.parse({
    maxTime: '1h 30m',
    verify: [['make', '-s'], 'npm test'],
    completionPromise: null,
  });
  const { cwd, env } = await scratch({ 'project/ralphd.yml': JSON.stringify(encodeConfig(config), undefined, 2) });
  expect((await loadConfig({ cwd, env })).config).toEqual(config);
});

test('a named configuration file replaces the one of the project and must exist', async () => {
  const { cwd, env } = await scratch({ 'project/ralphd.yml': 'maxIterations: 3', 'other.yml': 'model: x' });
  const { config } = await loadConfig({ cwd, env, configFile: '../other.yml' });
  expect(config).toMatchObject({ maxIterations: 100, model: 'x' });
  expect(await failureOf(loadConfig({ cwd, env, configFile: 'missing.yml' }))).toMatchObject({
    code: 'CONFIG_UNREADABLE',
    exitCode: 78,
    message: 'The configuration file missing.yml cannot be read: there is no such file.',
  });
});

test("naming the user's own file reads it once, as the project's", async () => {
  const { root, cwd, env } = await scratch({ 'home/.config/ralphd/config.yml': 'model: x' });
  const configFile = path.join(root, 'home/.config/ralphd/config.yml');
  const { files, provenance } = await loadConfig({ cwd, env, configFile });
  expect(files).toEqual([configFile]);
  expect(provenance['model']?.source).toBe('project');
});

test('a list in a stronger source replaces the list of a weaker one', async () => {
  const { cwd, env } = await scratch({ 'project/ralphd.yml': 'verify: [make, npm test]' });
  expect((await loadConfig({ cwd, env, flags: { verify: ['true'] } })).config.verify).toEqual(['true']);
  expect((await loadConfig({ cwd, env, flags: { verify: [] } })).config.verify).toEqual([]);
});

test('B009: variables of several sources are joined, and the stronger source wins for each name', async () => {
  const { cwd, env } = await scratch({
    'project/ralphd.yml': 'vars: { lang: de, tone: dry }',
    'home/.config/ralphd/config.yml': 'vars: { tone: warm, author: me }',
  });
  const variables = { ...env, RALPHD_VARS: '{"lang": "fr"}' };
  const { config, provenance } = await loadConfig({ cwd, env: variables, flags: { vars: { extra: 'a=b' } } });
  expect(config.vars).toEqual({ lang: 'fr', tone: 'dry', author: 'me', extra: 'a=b' });
  expect(provenance['vars']?.source).toBe('flag');
});

test.each([
  [{ iteration: '5' }, '"iteration"'],
  [{ 'a b': '5' }, '"a b"'],
])('a variable with an invalid name is a usage error: %j', async (vars, found) => {
  const { cwd, env } = await scratch();
  const given = { cwd, env, flags: { vars }, flagNames: { vars: '--var' } };
  expect(await failureOf(loadConfig(given))).toMatchObject({
    code: 'BAD_VALUE',
    message: expect.stringMatching(
      new RegExp(`^--var must be named with letters, .*, but it is ${found}\\.$`),
    ) as string,
  });
});

test('a prompt from a stronger source replaces one given the other way by a weaker source', async () => {
  const { cwd, env } = await scratch({ 'project/ralphd.yml': 'promptPath: task.md' });
  const byText = await loadConfig({ cwd, env, flags: { prompt: 'Fix it' } });
  expect(byText.config).toMatchObject({ prompt: 'Fix it' });
  expect(byText.config.promptPath).toBeUndefined();
  expect(byText.provenance).not.toHaveProperty('promptPath');
  const byFile = await loadConfig({ cwd, env: { ...env, RALPHD_PROMPT: 'Weak' }, flags: { promptPath: 'a.md' } });
  expect(byFile.config.prompt).toBeUndefined();
});

test('a prompt given both ways by one source is refused', async () => {
  const { cwd, env } = await scratch({ 'project/ralphd.yml': 'prompt: x\npromptPath: task.md' });
  expect(await failureOf(loadConfig({ cwd, env }))).toMatchObject({
    code: 'PROMPT_GIVEN_TWICE',
    message: 'The prompt is given twice: as text (ralphd.yml:1:1) and as a file (ralphd.yml:2:1).',
  });
  const flags = { prompt: 'x', promptPath: 'task.md' };
  expect(await failureOf(loadConfig({ cwd, env, flags, flagNames: { promptPath: '--prompt-file' } }))).toMatchObject({
    code: 'CONFLICTING_OPTIONS',
    exitCode: 64,
    message: '--prompt and --prompt-file contradict each other.',
  });
});

test('a bad flag is a usage error and is named as typed', async () => {
  const { cwd, env } = await scratch();
  const flags = { maxIterations: 'many' };
  expect(await failureOf(loadConfig({ cwd, env, flags }))).toMatchObject({
    code: 'BAD_VALUE',
    exitCode: 64,
    message: '--max-iterations must be a whole number of at least 0, but it is "many".',
  });
  const named = { cwd, env, flags: { iterationDelay: '5' }, flagNames: { iterationDelay: '--delay' } };
  expect((await failureOf(loadConfig(named))).message).toBe(
    '--delay must be a duration with a unit, such as "5s" or "1h 30m", but it is "5".',
  );
});

test.each([
  [{ RALPHD_MAX_ITERATIONS: '7' }, { maxIterations: 7 }],
  [{ RALPHD_ATTENDED: 'TRUE' }, { attended: true }],
  [{ RALPHD_AUTO_TEST: '0' }, { autoTest: false }],
  [{ RALPHD_MODEL: '7' }, { model: '7' }],
  [{ RALPHD_MODEL: '' }, { maxIterations: 100 }],
  [{ RALPHD_VERIFY: 'npm test' }, { verify: ['npm test'] }],
  [{ RALPHD_VERIFY: 'true' }, { verify: ['true'] }],
  [{ RALPHD_VERIFY: '[ -f done ]' }, { verify: ['[ -f done ]'] }],
  [{ RALPHD_VERIFY: '["a b", ["c", "d"]]' }, { verify: ['a b', ['c', 'd']] }],
  [{ RALPHD_AGENT_COMMAND: '["a", "b"]' }, { agentCommand: ['a', 'b'] }],
  [{ RALPHD_ITERATION_ENV: '{"A": "1"}' }, { iteration: { env: { A: '1' } } }],
  [{ RALPHD_AGENTS_CLAUDE_COMMAND: '/opt/claude' }, { agents: { claude: { command: '/opt/claude' } } }],
  [
    {
      RALPHD_ATTEMPT: 'x',
      RALPHD_LAUNCHER: '1',
      RALPHD_ITERATION: '3',
      RALPHD_CLAUDE_BINARY: 'x',
      RALPHD_FUTURE_THING: 'x',
    },
    {},
  ],
  [{ RALPHD_LOOP_ID: 'ralph-x-a1b2c3d4' }, { stateDir: '.ralph' }],
])('the variables %j set %j', async (variables, expected) => {
  const { cwd, env } = await scratch();
  expect((await loadConfig({ cwd, env: { ...env, ...variables } })).config).toMatchObject(expected);
});

test('unknown variables are reported with a suggestion and are not an error; those that ralphd sets are known', async () => {
  const { cwd, env } = await scratch();
  const unknown: UnknownVariable[] = [];
  const inherited = Object.fromEntries(Object.keys(childVariables).map((name) => [name, 'x']));
  const variables = { ...inherited, RALPHD_MAX_ITERATION: '5', RALPHD_FUTURE_THING: 'x', RALPHD_EMPTY: '' };
  const places = { cwd, env: { ...env, ...variables }, onUnknownVariable: (one: UnknownVariable) => unknown.push(one) };
  expect((await loadConfig(places)).config).toEqual((await loadConfig({ cwd, env })).config);
  expect(unknown).toEqual([
    { name: 'RALPHD_MAX_ITERATION', meant: 'RALPHD_MAX_ITERATIONS' },
    { name: 'RALPHD_FUTURE_THING' },
  ]);
});

test('no variable that a loop passes on to what it starts is the variable of a setting', () => {
  const settings = listSettings().map(({ path }) => settingVariable(path));
  expect(Object.keys(childVariables).filter((name) => settings.includes(name))).toEqual([]);
});

test('the id of a loop is never taken from the environment', async () => {
  const { cwd, env } = await scratch();
  const { config } = await loadConfig({ cwd, env: { ...env, RALPHD_LOOP_ID: 'ralph-x-a1b2c3d4' } });
  expect(config.loopId).toBeUndefined();
});

test.each([
  [{ RALPHD_MAX_ITERATIONS: 'x' }, 'RALPHD_MAX_ITERATIONS must be a whole number of at least 0, but it is "x".'],
  [
    { RALPHD_ITERATION_ENV: '{"TOKEN": 1234}' },
    'RALPHD_ITERATION_ENV must be text (in quotes if it looks like a number), but it is a number.',
  ],
])('the variables %j are refused', async (variables, message) => {
  const { cwd, env } = await scratch();
  expect(await failureOf(loadConfig({ cwd, env: { ...env, ...variables } }))).toMatchObject({ message, exitCode: 78 });
});
