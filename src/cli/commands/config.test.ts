import { expect, test } from 'vitest';
import { createCommandLine } from '../testing/command-line.ts';
import { putFiles } from '../testing/stand-ins.ts';

test('config show lists what was set, with its place: a flag, a variable, a line of a file', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'agent: codex\n\nmaxIterations: 7\niteration:\n  timeout: 5m\nmodel: x\n');
  putFiles(line.folder, { 'home/.config/ralphd/config.yml': 'permissions: ask\nmodel: y\n' });
  const { code, stdout } = await line.run(['config', 'show', '--verify', 'make -j2', '--no-guard'], {
    RALPHD_MAX_COST_USD: '5',
    RALPHD_MAX_ITERATIONS: '9',
  });
  expect(code).toBe(0);
  expect(stdout.replaceAll(line.folder, 'HERE')).toMatchInlineSnapshot(`
    "setting            value         from
    maxIterations      9             RALPHD_MAX_ITERATIONS
    maxCostUsd         5             RALPHD_MAX_COST_USD
    verify             ["make -j2"]  --verify
    guard              false         --no-guard
    permissions        ask           home/.config/ralphd/config.yml:1:1
    agent              codex         ralphd.yml:1:1
    model              x             ralphd.yml:6:1
    iteration.timeout  5m            ralphd.yml:5:3
    100 settings have their default values: ralphd config show --all
    "
  `);
});

test('config show --json and --all have every setting with a value, defaults included', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'verifyTimeout: 90s\n');
  const found = JSON.parse((await line.run(['config', 'show', '--json'])).stdout) as {
    readonly files: readonly string[];
    readonly settings: readonly Record<string, unknown>[];
  };
  expect(found.files).toEqual([`${line.folder}/ralphd.yml`]);
  expect(found.settings).toContainEqual({
    setting: 'verifyTimeout',
    value: '1m 30s',
    source: 'project',
    where: 'ralphd.yml:1:1',
  });
  expect(found.settings).toContainEqual({ setting: 'maxIterations', value: 100, source: 'default' });
  const { stdout } = await line.run(['config', '--all']);
  expect(stdout.trim().split('\n')).toHaveLength(found.settings.length + 1);
});

test('config show masks secrets, by their names and by their values', async () => {
  const line = createCommandLine();
  line.write(
    'ralphd.yml',
    'iteration:\n  env:\n    DEPLOY_TOKEN: abc\n    ORIGIN: https://me:Zx8Qw3Rt5Yu7@example.org/\nvars:\n  api_key: short\n  name: hidden-by-value-1234\n',
  );
  const env = { OTHER_SECRET: 'hidden-by-value-1234' };
  for (const args of [
    ['config', 'show'],
    ['config', 'show', '--json'],
  ]) {
    const { stdout } = await line.run(args, env);
    expect(stdout).not.toMatch(/abc|Zx8Qw3|short|hidden-by-value/u);
    expect(stdout).toContain('[redacted:DEPLOY_TOKEN]');
  }
});

test('config show refuses a mistake in a file as run does', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'maxIteration: 7\n');
  const { code, stderr } = await line.run(['config', 'show']);
  expect(code).toBe(78);
  expect(stderr).toContain('Did you mean "maxIterations"?');
});

test('config explain says everything about one setting, even when the configuration is broken', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'nonsense: [\n');
  const texts: string[] = [];
  for (const key of ['iteration.timeout', 'contextRedlinePercent', 'verify', 'hooks']) {
    texts.push((await line.run(['config', 'explain', key])).stdout);
  }
  expect(texts.join('\n')).toMatchInlineSnapshot(`
    "iteration.timeout
      Maximum time for one iteration before it is stopped.
      type     duration
      default  30m
      flag     --iteration-timeout DUR
      variable RALPHD_ITERATION_TIMEOUT
      project  a value in ralphd.yml needs your trust (ralphd trust) if it is laxer than the default; a laxer one does not replace what your own file sets
      example  iteration:
                 timeout: 30m

    contextRedlinePercent
      Usage of the model's context window, in percent, at which the next iteration starts a new session.
      type     integer 0 to 100
      default  85
      flag     --redline PCT
      variable RALPHD_CONTEXT_REDLINE_PERCENT
      example  contextRedlinePercent: 85

    verify
      Commands that must all exit with 0 before the loop can complete.
      type     list of string | list
      default  []
      flag     --verify CMD …
      variable RALPHD_VERIFY
      project  a value in ralphd.yml runs only once you trust it (ralphd trust)
      example  verify:
                 - npm test
                 - npm run lint

    hooks
      Commands and web addresses that are run and called at certain points of the loop.
      type     list of group
      default  none
      variable RALPHD_HOOKS
      project  a value in ralphd.yml runs only once you trust it (ralphd trust)
      example  hooks:
                 - name: notify
                   at:
                     - on_error
                   run: ./hooks/notify.sh
      [].name          Name of the hook in facts and messages. (string)
      [].at            When it runs. (list of "pre_iteration" | "post_iteration" | "on_progress" | "on_no_progress" | "on_test_success" | "on_test_failure" | "on_error" | "on_file_change" | "pre_session" | "post_session" | "loop_start" | "loop_end" | "pre_reboot" | "post_reboot" | "on_mode_switch")
      [].run           Command to run in the working directory; it gets a JSON object on stdin. (string | list)
      [].url           Instead of "run": where to post that JSON object. (string)
      [].secret        For url: key of the signature, as "env:NAME" or "file:PATH". (string)
      [].timeout       Maximum time before the hook is ended. (duration)
      [].priority      Hooks with a higher priority run first. (integer)
      [].enabled       Whether the hook is enabled. (boolean)
      [].everyN        Run only in every Nth iteration. (integer from 1)
      [].inMode        Run only while the loop is in one of these modes. (list of "unattended" | "attended" | "hybrid")
      [].ifStatus      Run only after an iteration, or at the end of a loop, with one of these statuses. (list of "completed" | "failed" | "timed_out")
      [].ifTestStatus  Run only when the checks passed, or failed. ("passed" | "failed")
      [].ifPattern     Run only when the error, the summary or the output of a check matches this regular expression. (string)
      [].sandbox       Whether the command runs in the loop's sandbox. (boolean)
      [].fatal         Whether the loop pauses when this hook fails. (boolean)
    "
  `);
});

test('config explain lists the settings of a group, or all of them', async () => {
  const line = createCommandLine();
  const { stdout } = await line.run(['config', 'explain', 'persistence']);
  expect(stdout).toMatchInlineSnapshot(`
    "persistence
      How state is kept on disk.
    persistence.enabled
      Whether the loop's state is kept on disk.
    persistence.autoSaveInterval
      How often usage counters and the heartbeat are saved during an iteration.
    persistence.maxBackups
      Number of backups of the state to keep.
    persistence.compress
      Whether state.json and backups are compressed; other programs then cannot read state.json.
    persistence.encrypt
      Whether the state is encrypted on disk; needs a key ("ralphd key").
    persistence.encryptSnapshot
      Whether state.json is encrypted too; if not, other programs can read it.
    persistence.keyFile
      File with the key, relative to workingDir; better outside the project.
    "
  `);
  expect((await line.run(['config', 'explain'])).stdout).toContain('\nverifyIn\n');
});

test('config explain --json is for programs', async () => {
  const line = createCommandLine();
  const { stdout } = await line.run(['config', 'explain', 'maxTime', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    path: 'maxTime',
    type: 'duration',
    isGroup: false,
    meaning: 'Maximum running time of the loop, not counting pauses.',
    example: '8h',
    flags: ['--max-time DUR'],
    variable: 'RALPHD_MAX_TIME',
    yaml: 'maxTime: 8h',
  });
});

test.each([
  ['maxIteration', 'maxIterations'],
  ['idleTimeout', 'iteration.idleTimeout'],
  ['verify-in', 'verifyIn'],
])('config explain %s suggests %s', async (typed, meant) => {
  const { code, stderr, stdout } = await createCommandLine().run(['config', 'explain', typed]);
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toContain(`Did you mean "${meant}"?`);
  expect(stderr).toContain('CONFIG_UNKNOWN_KEY');
});

test('config schema prints the schema that editors use', async () => {
  const { stdout } = await createCommandLine().run(['config', 'schema']);
  expect(JSON.parse(stdout)).toMatchObject({ title: 'ralphd configuration', type: 'object' });
});

test.each([
  [['config', 'explian'], 'UNKNOWN_SUBCOMMAND'],
  [['config', 'show', 'verify'], 'TOO_MANY_ARGUMENTS'],
])('ralphd %j is refused with %s', async (args, error) => {
  const { code, stdout, stderr } = await createCommandLine().run(args);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toContain(error);
});
