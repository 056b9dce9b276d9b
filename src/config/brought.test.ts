import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listSettings, reachOf } from '../protocol/index.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import { valueAt } from './source.ts';

/** The settings of a project whose user has settings too. */
async function merged(project: string, user = '', flags = {}): Promise<LoadedConfig> {
  const root = mkdtempSync(path.join(tmpdir(), 'ralphd-brought-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [cwd, own] = [path.join(root, 'project'), path.join(root, '.config/ralphd')];
  for (const folder of [cwd, own]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(cwd, 'ralphd.yml'), project);
  writeFileSync(path.join(own, 'config.yml'), user);
  return await loadConfig({ cwd, env: { HOME: root }, flags });
}

const short = ({ brought }: LoadedConfig) => brought.lines.map(({ setting, where, text }) => [where, setting, text]);

test('these settings decide what runs; one that is in no table would count as one of them', () => {
  const runs = listSettings().filter(({ path: setting }) => reachOf(setting).asks === 'runs');
  expect(runs.map(({ path: setting }) => setting)).toEqual([
    'verify',
    'setup',
    'agent',
    'agentCommand',
    'agentArgs',
    'agents.claude.command',
    'agents.codex.command',
    'agents.gemini.command',
    'agents.opencode.command',
    'iteration.env',
    'hooks',
    'stopConditions.customScripts',
    'stopConditions.stop',
    'stopConditions.success',
    'stopConditions.failure',
    'worktreeSetup',
  ]);
});

test('what a project brings is named with its place and its value, and what is usual is not', async () => {
  const loaded = await merged(
    [
      'model: opus',
      'maxIterations: 20',
      'verify:',
      '  - npm test',
      '  - [node, check.js]',
      'permissions: full',
      'iteration: { env: { PATH: ./bin } }',
      'stateDir: ../elsewhere',
      'promptPath: docs/TASK.md',
    ].join('\n'),
  );
  expect(short(loaded)).toEqual([
    ['ralphd.yml:4:5', 'verify', 'npm test'],
    ['ralphd.yml:5:5', 'verify', '["node","check.js"]'],
    ['ralphd.yml:6:1', 'permissions', 'full'],
    ['ralphd.yml:7:21', 'iteration.env.PATH', './bin'],
    ['ralphd.yml:8:1', 'stateDir', '../elsewhere'],
  ]);
});

test('the same line elsewhere in the file is the same, and another value is not', async () => {
  const ids = async (text: string) => (await merged(text)).brought.lines.map(({ id }) => id);
  const first = await ids('verify: [npm test]\n');
  expect(await ids('# a comment\nmodel: opus\nverify:\n  - npm test\n')).toEqual(first);
  expect(await ids('verify: [npm test ]\n')).toEqual(first);
  expect(await ids('verify: ["npm test "]\n')).not.toEqual(first);
});

test("a project's settings that a flag replaces need no trust, and those of the user's own file never do", async () => {
  expect(short(await merged('verify: [evil]', 'hooks: []', { verify: ['mine'] }))).toEqual([]);
  expect(short(await merged('', 'verify: [mine]\npermissions: full\n'))).toEqual([]);
});

test('a project that empties a list of the user says so', async () => {
  const { brought } = await merged('notify: []\n', 'notify: [{ type: desktop }]\n');
  expect(brought.lines).toMatchObject([{ setting: 'notify', note: expect.stringContaining('replaces your own') }]);
});

test.for<[setting: string, user: string, lax: string, strict: string, kept: unknown, taken: unknown]>([
  ['permissions', 'permissions: edit', 'permissions: full', 'permissions: ask', 'edit', 'ask'],
  ['maxIterations', 'maxIterations: 10', 'maxIterations: 0', 'maxIterations: 5', 10, 5],
  ['maxCostUsd', 'maxCostUsd: 3', 'maxCostUsd: 30', 'maxCostUsd: 2', 3, 2],
  ['verifyIn', 'verifyIn: sealed', 'verifyIn: tree', 'verifyIn: sealed', 'sealed', 'sealed'],
  ['guard', 'guard: true', 'guard: false', 'guard: true', true, true],
  ['trustPromise', 'trustPromise: false', 'trustPromise: true', 'trustPromise: false', false, false],
  ['protect', 'protect: strict', 'protect: [docs/]', 'protect: strict', 'strict', 'strict'],
  ['envAllow', 'envAllow: [A, B]', 'envAllow: [A, C]', 'envAllow: [A]', ['A', 'B'], ['A']],
  ['mode', 'attended: true', 'mode: unattended', 'mode: attended', undefined, 'attended'],
  ['ask.autoApproveAfter', 'attended: true', 'ask: { autoApproveAfter: 1s }', 'model: opus', undefined, undefined],
  [
    'resources.minFreeDisk',
    'resources: { minFreeDisk: 2GB }',
    'resources: { minFreeDisk: 1GB }',
    'resources: { minFreeDisk: 3GB }',
    2e9,
    3e9,
  ],
  [
    'iteration.timeout',
    'iteration: { timeout: 5m }',
    'iteration: { timeout: 1h }',
    'iteration: { timeout: 1m }',
    300_000,
    60_000,
  ],
])("a project cannot make the user's %s laxer, only stricter", async ([setting, user, lax, strict, kept, taken]) => {
  const value = ({ config }: LoadedConfig) => valueAt(config, setting.split('.'));
  const weakened = await merged(lax, user);
  expect(value(weakened)).toEqual(kept);
  expect(weakened.brought.lines).toEqual([]);
  expect(value(await merged(strict, user))).toEqual(taken);
});

test('a value that overrules the one of the project says where that one is', async () => {
  const { provenance } = await merged('model: opus\nmaxIterations: 50\n', 'maxIterations: 10\n');
  expect(provenance['maxIterations']).toMatchObject({ source: 'user', overrules: 'ralphd.yml:2:1' });
});
