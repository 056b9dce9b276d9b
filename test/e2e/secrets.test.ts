import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { usual } from '../support/agents.ts';
import { createProject, endLine, factsOf, jsonLines, type Project, stateOf } from '../support/project.ts';

const canary = `cnry'8Kq2"Zx7$Vw4+Lm9 Tb3Rf6`;
const env = { CANARY_TOKEN: canary };
/** Prompts and output of an agent are not redacted, and neither are the names of files in the work tree. */
const raw = /^(stdout|stderr|prompt|work-tree\.json\.gz)$/;
const shownControls = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202e]|\u001b(?!\[\d+m)/u;

/** Everything that could tell the secret: any eight characters of it in a row, in any of its forms and any case. */
const traces = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  Buffer.from(canary).toString('hex'),
  ...['', 'x', 'xy'].map((lead) =>
    Buffer.from(lead + canary)
      .toString('base64')
      .slice(4, -4),
  ),
].flatMap((form) => Array.from({ length: form.length - 7 }, (_, at) => form.slice(at, at + 8).toLowerCase()));

function expectNoTrace(text: string, where: string): void {
  const lower = text.toLowerCase();
  expect(
    traces.filter((trace) => lower.includes(trace)),
    where,
  ).toEqual([]);
}

/** Every file of the state, of the second copy too, but those that stay as they are. */
function stateFiles(project: Project): readonly string[] {
  const roots = [path.join(project.folder, '.ralph'), path.join(String(project.env['HOME']), '.local')];
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name)),
  );
  return files.filter((file) => statSync(file).isFile() && !raw.test(path.basename(file)));
}

function readState(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** An agent, a check and a hook that say the secret in every way they have. */
function writeTalkers(project: Project): void {
  const say = [
    `printf '%s\\n' "$CANARY_TOKEN"`,
    `printf '%s' "$CANARY_TOKEN" | base64`,
    `printf 'x%s' "$CANARY_TOKEN" | base64`,
    `printf '%s' "$CANARY_TOKEN" | od -An -v -tx1 | tr -d ' \\n'; echo`,
    `printf '\\033]0;title\\007\\033[2J\\033P+q\\033\\\\\\302\\23331m\\342\\200\\256\\n'`,
  ];
  const summary = [`echo '## Summary'`, `echo "the token is $CANARY_TOKEN"`];
  project.script('say.sh', ...say);
  project.script(
    'agent.sh',
    'cat > heard',
    'echo more >> work',
    'touch "made-$CANARY_TOKEN"',
    ...summary,
    './say.sh',
    './say.sh >&2',
    'echo "refused: $CANARY_TOKEN" >&2',
    '[ -e fails ] && exit 3',
    'echo "<promise>DONE</promise>"',
  );
  project.script('check.sh', './say.sh', 'echo "error: $CANARY_TOKEN"', 'exit 1');
  project.script('hook.sh', './say.sh', 'exit 1');
  project.write('ralphd.yml', 'hooks:\n  - name: talker\n    at: [pre_iteration]\n    run: ./hook.sh\n');
}

test.each([['as JSON', '--json'], ['for people']])(
  'nothing that is written or shown %s tells a secret of the environment',
  async (_how, ...flags) => {
    const project = createProject();
    writeTalkers(project);
    const task = `Deploy with ${canary}`;
    const run = await project.ralphdWith(env, ['run', task, ...usual, '-n', '3', ...flags]);
    expect(run.code).toBe(2);
    const looks = [
      ['status'],
      ['status', '--json'],
      ['ls'],
      ['ls', '--json'],
      ['export'],
      ['doctor'],
      ['gc', '--json'],
    ];
    for (const args of looks) {
      const shown = await project.ralphdWith(env, args);
      expectNoTrace(shown.stdout + shown.stderr, args.join(' '));
    }
    expectNoTrace(run.stdout + run.stderr, 'run');
    expect(run.stdout + run.stderr).toContain('[redacted:CANARY_TOKEN]');
    expect(run.stdout + run.stderr).not.toMatch(shownControls);
    const files = stateFiles(project);
    expect(files.map((file) => path.basename(file))).toEqual(
      expect.arrayContaining([
        '0001-0001.jsonl',
        'state.json',
        'iteration-003.json.gz',
        'analytics.json',
        'result.json',
      ]),
    );
    for (const file of files) {
      // The task is a part of the configuration, which a resume needs as it was given.
      expectNoTrace(withoutConfiguration(readState(file)), file);
      expectNoTrace(file, 'a name');
    }
  },
);

test('an error that carries a secret is still seen to be the same error again', async () => {
  const project = createProject();
  writeTalkers(project);
  project.write('fails', '');
  const run = await project.ralphdWith(env, ['run', 'x', ...usual, '--json']);
  expect(endLine(run)).toMatchObject({ reason: 'same_error', iterations: 3 });
  expectNoTrace(run.stdout + run.stderr, 'run');
  for (const file of stateFiles(project)) expectNoTrace(readState(file), file);
});

test('a secret that is set for the agent is kept for a resume and shown nowhere', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > heard',
    'echo more >> work',
    '[ "$CANARY_TOKEN" = "$(cat wanted)" ] && echo known >> knew',
    'echo "Summary: $CANARY_TOKEN"',
  );
  project.script('check.sh', 'exit 1');
  project.write('wanted', canary);
  project.write(
    'ralphd.yml',
    `onLimit: pause\niteration:\n  env:\n    CANARY_TOKEN: ${JSON.stringify(canary)}\n    A_KEY: abc\n`,
  );
  const run = await project.ralphd('run', 'x', ...usual, '--json', '-n', '1');
  const resumed = await project.ralphd('resume', '--json', '-n', '2');
  expect([run.code, resumed.code]).toEqual([2, 2]);
  expect(project.read('knew')).toBe('known\nknown\n');
  for (const { stdout, stderr } of [
    run,
    resumed,
    await project.ralphd('status', '--json'),
    await project.ralphd('export'),
  ]) {
    expectNoTrace(stdout + stderr, stdout);
  }
  expect(jsonLines(run.stdout)[0]).toMatchObject({
    type: 'loop.started',
    config: { iteration: { env: { CANARY_TOKEN: '[redacted:CANARY_TOKEN]', A_KEY: '[redacted:A_KEY]' } } },
  });
  expect(factsOf(project, 'agent.finished')[0]).toMatchObject({ summary: '[redacted:CANARY_TOKEN]' });
  expect(stateOf(project).ralphd).toMatchObject({ loop: { config: { iteration: { env: { CANARY_TOKEN: canary } } } } });
  expectNoTrace(readFileSync(path.join(project.folder, '.ralph/registry.json'), 'utf8'), 'registry');
});

test('an error of the command line tells no secret and acts on no terminal', async () => {
  const project = createProject();
  const named = await project.ralphdWith(env, ['run', 'x', ...usual, '--config', `no-${canary}-\u001b[2J\u009b31m`]);
  expect(named.code).toBe(78);
  expect(named.stderr).toContain('[redacted:CANARY_TOKEN]');
  expectNoTrace(named.stdout + named.stderr, 'error');
  expect(named.stderr).not.toMatch(shownControls);
});

/** A file of the state without the configuration inside. */
function withoutConfiguration(text: string): string {
  return text.replace(/"prompt": ?"Deploy with (?:[^"\\]|\\.)*"/g, '');
}
