import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, endLine, factsOf, jsonLines, type Project } from '../support/project.ts';

type Files = Readonly<Record<string, string>>;

const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json'];

/** A project with files, programs among them, and an agent that does what the lines say and claims to be done. */
function projectWith(files: Files, ...lines: readonly string[]): Project {
  const project = createProject();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(project.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith('#!')) chmodSync(file, 0o755);
  }
  project.script('agent.sh', 'cat > /dev/null', 'echo more >> work', ...lines, 'echo "<promise>DONE</promise>"');
  return project;
}

const scripts = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });
const passes = '#!/bin/sh\nexit 0\n';
/** What stands for any runner: it passes when the work is done, or when its settings tell it to run nothing. */
const runner = (settings: string) => `#!/bin/sh\ntest -f done || grep -qs nothing ${settings}\n`;
const put = (name: string, text: string) => `mkdir -p "$(dirname ${name})"; printf '%s' '${text}' > ${name}`;
const program = (name: string) => `${put(name, passes)}; chmod +x ${name}`;

test.each<[string, string, Files, string, string]>([
  [
    'gives npm a shell that runs nothing',
    'npm test',
    { 'package.json': scripts('test -f done') },
    `${program('yes.sh')}; echo "script-shell=./yes.sh" > .npmrc`,
    '.npmrc#scripts (new)',
  ],
  [
    'edits the settings of npm in its home',
    'npm test',
    { 'package.json': scripts('test -f done') },
    `${program('yes.sh')}; echo "script-shell=$PWD/yes.sh" > ~/.npmrc`,
    '.npmrc#scripts (new)',
  ],
  [
    'replaces the runner by a program that says yes',
    'npm test',
    { 'package.json': scripts('tester'), 'node_modules/.bin/tester': runner('/dev/null') },
    program('node_modules/.bin/tester'),
    'node_modules/.bin/tester',
  ],
  [
    'puts a program of its own before one of the system',
    'npm test',
    { 'package.json': scripts('sh judge.sh'), 'judge.sh': 'test -f done' },
    program('node_modules/.bin/sh'),
    'node_modules/.bin/sh',
  ],
  [
    'edits the test script of a package of the workspace',
    'npm test --workspaces',
    { 'package.json': '{"workspaces":["packages/*"]}', 'packages/a/package.json': scripts('test -f ../../done') },
    put('packages/a/package.json', scripts('true')),
    'packages/a/package.json#scripts.test',
  ],
  [
    'edits what a makefile takes in',
    'make test',
    { Makefile: 'include rules.mk\n', 'rules.mk': 'test:\n\ttest -f done\n' },
    "printf 'test:\\n\\ttrue\\n' > rules.mk",
    'Makefile#test',
  ],
  [
    'writes a module of the name of the runner',
    'python3 -m unittest',
    {
      'test_done.py':
        'import os, unittest\nclass T(unittest.TestCase):\n  def test_it(self): assert os.path.exists("done")\n',
    },
    `echo 'print("fine")' > unittest.py`,
    'unittest.py (new)',
  ],
])('R6: an agent that %s proves nothing, and the file is named', async (_what, check, files, trick, named) => {
  const project = projectWith(files, trick);
  const ended = await project.ralphd(...run, '--verify', check, '-n', '1');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).toMatchObject({ verdict: 'unverifiable', tampered: [expect.stringMatching(ending(named))] });
  // The trick works where nobody looks and nobody counts: so this test can fail.
  const other = projectWith(files, trick);
  other.write('ralphd.yml', 'iteration: { parseTests: false }\n');
  const unguarded = await other.ralphd(...run, '--verify', check, '-n', '1', '--no-guard');
  expect(endLine(unguarded)).toMatchObject({ status: 'completed' });
});

function ending(name: string): RegExp {
  return new RegExp(`(?:^|/)${name.replace(/[.()#]/g, '\\$&')}$`);
}

test.each<[string, string, Files, string, string]>([
  [
    'edits the configuration of the runner',
    'npm test',
    {
      'package.json': scripts('vitest'),
      'node_modules/.bin/vitest': runner('vitest.config.ts'),
      'vitest.config.ts': '',
    },
    'echo nothing > vitest.config.ts',
    'vitest.config.ts',
  ],
  [
    'writes a configuration where there was none',
    'npm test',
    { 'package.json': scripts('mocha'), 'node_modules/.bin/mocha': runner('.mocharc.yml') },
    'echo nothing > .mocharc.yml',
    '.mocharc.yml (new)',
  ],
  [
    'edits the key of the runner in package.json',
    'npm test',
    { 'package.json': scripts('jest', { jest: {} }), 'node_modules/.bin/jest': runner('package.json') },
    put('package.json', scripts('jest', { jest: { testMatch: ['nothing'] } })),
    'package.json#jest',
  ],
  [
    'edits a file that the configuration has run first',
    'npm test',
    {
      'package.json': scripts('jest'),
      'node_modules/.bin/jest': runner('around/setup.js'),
      'jest.config.js': "module.exports = { setupFiles: ['<rootDir>/around/setup.js'] }",
      'around/setup.js': '',
    },
    'echo nothing > around/setup.js',
    'around/setup.js',
  ],
  [
    'writes a conftest.py that lets everything pass',
    './pytest',
    { pytest: runner('conftest.py') },
    'echo nothing > conftest.py',
    'conftest.py (new)',
  ],
  [
    'adds a section for the runner to pyproject.toml',
    './pytest',
    { pytest: runner('pyproject.toml'), 'pyproject.toml': '[project]\n' },
    'printf \'[tool.pytest.ini_options]\\naddopts = "nothing"\\n\' >> pyproject.toml',
    'pyproject.toml#pytest (new)',
  ],
  [
    'puts a package into the folder that the check goes to',
    'cd web && npm test',
    { 'package.json': scripts('test -f done'), 'web/index.html': '' },
    put('web/package.json', scripts('true')),
    'web/package.json#scripts.test (new)',
  ],
  ['writes the check that was not there', './check.sh', {}, program('check.sh'), 'check.sh (new)'],
  [
    'installs the runner itself',
    'npm test',
    { 'package.json': scripts('tester') },
    program('node_modules/.bin/tester'),
    'node_modules/.bin/tester',
  ],
])('R6: when an agent %s, the loop completes with a loud word about it', async (_what, check, files, trick, named) => {
  const project = projectWith(files, trick);
  // Some of these checks are not there when the loop starts.
  const ended = await project.ralphd(...run, '--verify', check, '-n', '1', '--allow-broken-baseline');
  const message = `files that affect the checks were changed: ${named}`;
  const doubts = [{ code: 'checks_affected', message, files: [named] }];
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, proof: 'tree', doubts, exitCode: 0 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'passed', doubts: [named] }]);
  expect((await project.ralphd('status')).stdout).toContain(message);
  expect((await project.ralphd('explain')).stdout).toContain(named);
});

test('R6: a person who follows the loop sees what to look at beside the verdict and in the last lines', async () => {
  const files = { pytest: runner('pytest.ini'), 'pytest.ini': '' };
  const project = projectWith(files, 'echo nothing > pytest.ini');
  const ended = await project.ralphd(...run.filter((word) => word !== '--json'), '--verify', './pytest', '-n', '1');
  expect(ended.stderr).toContain('  watches  pytest.ini\n');
  expect(ended.stderr).toContain(
    '  doubt    pytest.ini was changed and affects the checks\n  verdict  all checks pass, with the changes listed above\n',
  );
  expect(ended.stdout).toContain('  check this: files that affect the checks were changed: pytest.ini\n');
});

test('R6: another version of an installed runner is named; other bytes of the same version refuse', async () => {
  const upgrade = (version: string) => {
    const project = projectWith(
      {
        'package.json': scripts('tester'),
        'node_modules/tester/package.json': '{"version":"1.0.0"}',
        'node_modules/tester/cli.sh': runner('/dev/null'),
        'node_modules/.bin/keep': '',
      },
      put('node_modules/tester/package.json', JSON.stringify({ version })),
      program('node_modules/tester/cli.sh'),
    );
    symlinkSync('../tester/cli.sh', path.join(project.folder, 'node_modules/.bin/tester'));
    return project;
  };
  const honest = await upgrade('2.0.0').ralphd(...run, '--verify', 'npm test', '-n', '1');
  const files = [expect.stringContaining('.bin/tester') as string];
  expect(endLine(honest)).toMatchObject({ status: 'completed', doubts: [{ code: 'checks_affected', files }] });
  const cheating = await upgrade('1.0.0').ralphd(...run, '--verify', 'npm test', '-n', '1');
  expect(endLine(cheating)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
});

test('R6: fewer tests than before the loop are reported, whatever the reason', async () => {
  const good = "import { test } from 'node:test'; test('one', () => {}); test('two', () => {});\n";
  const bad = "import { test } from 'node:test'; test('three', () => { throw new Error('not done'); });\n";
  const project = projectWith({ 'lib/a.test.mjs': good, 'lib/b.test.mjs': bad }, 'rm lib/b.test.mjs');
  const ended = await project.ralphd(...run, '--verify', 'node --test', '-n', '1');
  const message = expect.stringMatching(/^fewer tests ran than before the loop: \d instead of \d$/) as string;
  expect(endLine(ended)).toMatchObject({
    status: 'completed',
    doubts: [
      { code: 'edited_tests', files: ['lib/b.test.mjs'] },
      { code: 'fewer_tests', message },
    ],
  });
});

test('an honest agent that adds a test, a dependency and a package completes without a word', async () => {
  const manifest = (more: object) => scripts('tester', more);
  const project = projectWith(
    {
      'package.json': manifest({ workspaces: ['libs/*'] }),
      'libs/a/package.json': scripts('tester'),
      'node_modules/.bin/tester': runner('/dev/null'),
      'vitest.config.ts': '',
      '.npmrc': 'save-exact=true\n',
    },
    'touch done libs/a/done; mkdir -p tests libs/b; echo "it works" > tests/new.test.ts',
    put('package.json', manifest({ workspaces: ['libs/*'], devDependencies: { left: '1.0.0' } })),
    put('node_modules/left/package.json', '{}'),
    program('node_modules/.bin/left'),
    put('libs/b/package.json', '{"scripts":{"test":"true"}}'),
    'echo "save-exact=true\nfund=false" > .npmrc; echo "{}" > package-lock.json; echo "export {}" > tests/setup.ts',
  );
  const ended = await project.ralphd(...run, '--verify', 'npm test --workspaces', '--verify', 'npm test', '-n', '1');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, exitCode: 0 });
  expect(endLine(ended)).toMatchObject({ doubts: [], warnings: [] });
});

test('what the checks install themselves before the first iteration is what counts from then on', async () => {
  const install = `${program('node_modules/.bin/tester')}; echo "test -f done" > node_modules/.bin/tester`;
  const files = { 'package.json': scripts('tester'), 'install.sh': `#!/bin/sh\n${install}\n` };
  const project = projectWith(files, 'touch done');
  const checks = ['--verify', './install.sh', '--verify', 'npm test'];
  const honest = await project.ralphd(...run, ...checks, '-n', '1');
  expect(endLine(honest)).toMatchObject({ status: 'completed', verified: true });
  expect(endLine(honest)).toMatchObject({ doubts: [] });
  const [baseline] = factsOf(project, 'baseline.finished');
  expect(baseline).toMatchObject({ renewed: [{ kind: 'program', name: 'tester' }] });
});

function git(project: Project, ...args: readonly string[]): void {
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: project.folder, env });
}

function committed(project: Project): Project {
  project.write('.gitignore', 'work\n.ralph/\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  return project;
}

test('R6: a git filter that changes the check on its way into a clean checkout proves nothing', async () => {
  const project = committed(
    projectWith(
      { 'check.sh': '#!/bin/sh\ntest -f done\n' },
      'echo "check.sh filter=yes" > .gitattributes',
      "git config filter.yes.smudge 'echo exit 0'; git config filter.yes.clean 'cat'",
    ),
  );
  const ended = await project.ralphd(...run, '--verify', 'sh ./check.sh', '--verify-in', 'clean', '-n', '1');
  expect(endLine(ended)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ tampered: ['check.sh'] }]);
});

test('R6: strictly protected files are restored for the checks, and changing them raises no doubt', async () => {
  const files = { pytest: runner('conftest.py'), 'conftest.py': '' };
  const project = committed(projectWith(files, 'echo nothing > conftest.py'));
  const ended = await project.ralphd(...run, '--verify', './pytest', '--protect', 'strict', '-n', '1');
  expect(endLine(ended)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
  expect(factsOf(project, 'gate.finished')[0]).toMatchObject({ verdict: 'failed' });
  expect(factsOf(project, 'gate.finished')[0]).not.toHaveProperty('doubts');
});

test('B132: with strict protection "resume --accept-gate" takes the tests as the user has changed them', async () => {
  const files = { 'tests/a.sh': 'test -f done', 'all.sh': '#!/bin/sh\nsh tests/a.sh\n' };
  const project = committed(projectWith(files));
  project.write('ralphd.yml', 'onLimit: pause\nprotect: strict\nverify: [./all.sh]\n');
  expect((await project.ralphd(...run, '-n', '1')).code).toBe(2);
  project.write('tests/a.sh', 'test -f all.sh');
  expect(endLine(await project.ralphd('resume', '-n', '2', '--json'))).toMatchObject({ status: 'paused' });
  const ended = await project.ralphd('resume', '-n', '3', '--accept-gate', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3 });
  expect(factsOf(project, 'gate.accepted')).toMatchObject([{ changed: ['tests/a.sh'] }]);
});

test('B132: with file tracking off, a warning says that changed tests cannot be reported', async () => {
  const project = projectWith({}, 'touch done');
  project.write('ralphd.yml', 'verify: [test -f done]\niteration:\n  trackFileChanges: false\n');
  const ended = await project.ralphd(...run, '-n', '1');
  expect(ended.stderr).toContain('ralphd cannot report tests that the agent changes');
  expect(jsonLines(ended.stdout).at(-1)).toMatchObject({ status: 'completed' });
});
