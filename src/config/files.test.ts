import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { loadConfig } from './load.ts';

async function emptyProject(): Promise<string> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'ralphd-config-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  return cwd;
}

async function load(content: string | Uint8Array) {
  const cwd = await emptyProject();
  await writeFile(path.join(cwd, 'ralphd.yml'), content);
  return (await loadConfig({ cwd, env: {} })).config;
}

async function refusal(loading: Promise<unknown>): Promise<string> {
  const error = await loading.catch((thrown: unknown) => thrown);
  if (!(error instanceof LoopError)) throw new Error('Expected a LoopError.', { cause: error });
  const { code, exitCode, message, hint } = error.failure;
  expect(exitCode).toBe(78);
  return `${code}: ${message} ${hint}`;
}

test('a file in plain YAML with comments, a byte order mark or nothing at all is read', async () => {
  expect(await load('# nothing\n')).toMatchObject({ maxIterations: 100 });
  expect(await load('')).toMatchObject({ maxIterations: 100 });
  expect(await load('\uFEFFmaxIterations: 7 # enough\ncompletionPromise: null\n')).toMatchObject({
    maxIterations: 7,
    completionPromise: null,
  });
  expect(await load('verify: &gate [make]\nstopConditions: { customScripts: *gate }')).toMatchObject({
    stopConditions: { customScripts: ['make'] },
  });
});

test.each([
  ['maxIteration: 5', 'Unknown setting "maxIteration" (ralphd.yml:1:1). Did you mean "maxIterations"?'],
  ['agent: demo\nmax_iterations: 5', '"max_iterations" (ralphd.yml:2:1). Did you mean "maxIterations"?'],
  ['iteration:\n  timout: 5s', '"iteration.timout" (ralphd.yml:2:3). Did you mean "iteration.timeout"?'],
  ['killGrace: 5s', '"killGrace" (ralphd.yml:1:1). Did you mean "iteration.killGrace"?'],
  ['a: &x { timout: 5s }\niteration: *x', '"iteration.timout" (ralphd.yml:1:9). Did you mean "iteration.timeout"?'],
  ['somethingElse: 5s', '"somethingElse" (ralphd.yml:1:1). See docs/reference/config.md for all settings.'],
  ['__proto__: { agent: demo }', 'Unknown setting "__proto__" (ralphd.yml:1:1).'],
  ['constructor: x', 'Unknown setting "constructor" (ralphd.yml:1:1).'],
])('an unknown key is refused with its place and the likely setting: %j', async (content, expected) => {
  const text = await refusal(load(content));
  expect(text).toContain('CONFIG_UNKNOWN_KEY');
  expect(text).toContain(expected);
});

test.each([
  [
    'iterationDelay: 5',
    'iterationDelay (ralphd.yml:1:1) must be a duration with a unit, such as "5s" or "1h 30m", but it is 5.',
  ],
  [
    'iteration:\n  timeout: soon',
    'iteration.timeout (ralphd.yml:2:3) must be a duration with a unit, such as "5s" or "1h 30m", but it is "soon".',
  ],
  ['maxIterations:', 'maxIterations (ralphd.yml:1:1) must be a whole number of at least 0, but it is empty.'],
  [
    'verify:\n  - make\n  - 5',
    'verify.1 (ralphd.yml:3:5) must be a command line, or a list of a program and its arguments, but it is 5.',
  ],
  [
    'agent: [demo]',
    'agent (ralphd.yml:1:1) must be one of claude, codex, gemini, opencode, command, demo, but it is a list.',
  ],
  [
    'iteration:\n  env:\n    KEY: 12345',
    'iteration.env.KEY (ralphd.yml:3:5) must be text (in quotes if it looks like a number), but it is a number.',
  ],
  [
    'iteration:\n  env:\n    a b: x',
    'iteration.env.a b (ralphd.yml:3:5) must be named like an environment variable, but it is "a b".',
  ],
  ['session: continue', 'session (ralphd.yml:1:1) must be a mapping of settings, but it is "continue".'],
  ['- just\n- a list', 'The configuration (ralphd.yml:1:1) must be a mapping of settings, but it is a list.'],
  ['maxCostUsd: .inf', 'maxCostUsd (ralphd.yml:1:1) must be a number above 0, but it is Infinity.'],
])(
  'an invalid value is refused with its place, the expected value and the actual one: %j',
  async (content, expected) => {
    expect(await refusal(load(content))).toContain(expected);
  },
);

test.each([
  ['verify: [make', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:1:14 is not valid YAML'],
  ['agent: demo\nagent: claude', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:2:1'],
  ['agent: demo\n---\nagent: claude', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:2:1'],
  ['agent: !!js/function x', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:1:8 is not valid YAML: Unresolved tag'],
  ['agent: !secret x', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:1:8 is not valid YAML: Unresolved tag'],
  ['\tagent: demo', 'CONFIG_NOT_YAML: The configuration at ralphd.yml:1:1'],
  ['agent: *nobody', 'CONFIG_NOT_YAML: The configuration at ralphd.yml'],
])('what is not valid YAML is refused with its place: %j', async (content, expected) => {
  expect(await refusal(load(content))).toContain(expected);
});

test('a file that is too deep, too large or not text is refused', async () => {
  expect(await refusal(load('['.repeat(100_000)))).toContain('is not valid YAML: it is nested too deeply.');
  expect(await refusal(load('x'.repeat(1_048_577)))).toContain('cannot be read: it is larger than 1 MiB.');
  expect(await refusal(load(Uint8Array.of(0x61, 0xff, 0xfe)))).toContain('cannot be read: it is not UTF-8 text.');
});

test('aliases that would explode are refused', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`);
  expect(await refusal(load(['l0: &l0 [x]', ...levels].join('\n')))).toContain('its aliases expand to too many values');
});

test('something that is not a regular file is refused', async () => {
  const cwd = await emptyProject();
  await mkdir(path.join(cwd, 'ralphd.yml'));
  expect(await refusal(loadConfig({ cwd, env: {} }))).toContain('cannot be read: it is not a regular file.');
});

test('both spellings of the file at once are refused, either alone is read', async () => {
  const cwd = await emptyProject();
  await writeFile(path.join(cwd, 'ralphd.yaml'), 'maxIterations: 7');
  expect((await loadConfig({ cwd, env: {} })).config.maxIterations).toBe(7);
  await writeFile(path.join(cwd, 'ralphd.yml'), 'maxIterations: 8');
  expect(await refusal(loadConfig({ cwd, env: {} }))).toContain('CONFIG_AMBIGUOUS');
});

test("the user's file is found under XDG_CONFIG_HOME, else under HOME, and a relative XDG_CONFIG_HOME is ignored", async () => {
  const cwd = await emptyProject();
  for (const [folder, model] of [['xdg/ralphd', 'xdg'] as const, ['home/.config/ralphd', 'home'] as const]) {
    await mkdir(path.join(cwd, folder), { recursive: true });
    await writeFile(path.join(cwd, folder, 'config.yml'), `model: ${model}`);
  }
  const model = async (env: Record<string, string>) => (await loadConfig({ cwd, env })).config.model;
  const HOME = path.join(cwd, 'home');
  expect(await model({ HOME, XDG_CONFIG_HOME: path.join(cwd, 'xdg') })).toBe('xdg');
  expect(await model({ HOME, XDG_CONFIG_HOME: 'xdg' })).toBe('home');
  expect(await model({ HOME })).toBe('home');
  expect(await model({})).toBeUndefined();
});
