import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, endLine, eventually, factsOf, type Project } from '../support/project.ts';
import { hasNamespaces, hasPytest } from '../support/system.ts';

const claim = 'echo "<promise>DONE</promise>"';
const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json'];
const sealed = ['--verify-in', 'sealed', '--no-guard'];

/** Without bubblewrap these are skipped, each by its name. */
const sealedTest = hasNamespaces ? test : test.skip;
const pytestTest = hasNamespaces && hasPytest ? test : test.skip;

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

/** A repository whose test wants `sum.sh` to add; the agent does what the lines say and claims to be done. */
function projectWhoseAgent(...lines: readonly string[]): Project {
  const project = createProject();
  mkdirSync(path.join(project.folder, 'tests'));
  project.script('agent.sh', 'cat > /dev/null', ...lines, claim);
  project.script('sum.sh', 'echo 0');
  project.script('tests/sum.sh', 'test "$(./sum.sh 1 2)" = 3');
  project.write('.gitignore', 'cache/\n.ralph/\nnode_modules\n.venv\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  return project;
}

function gatesLeft(project: Project): readonly string[] {
  const gates = path.join(project.env['HOME'] ?? '', '.local/state/ralphd/gates');
  return existsSync(gates) ? readdirSync(gates) : [];
}

const honest = "printf '#!/bin/sh\\necho $(($1 + $2))\\n' > sum.sh";
const check = ['--verify', 'sh tests/sum.sh'];
const notDone = { status: 'failed', verified: false };

sealedTest('R6: honest work completes sealed, the proof says so, and nothing is left of the gate', async () => {
  const project = projectWhoseAgent(honest);
  const ended = await project.ralphd(...run, ...check, '--verify-in', 'sealed', '-n', '2');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
  expect(factsOf(project, 'environment.captured')).toMatchObject([{ folders: [], files: 0 }]);
  expect(factsOf(project, 'baseline.finished')[0]).toMatchObject({ verdict: 'failed', proof: 'sealed' });
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).toMatchObject({ verdict: 'passed', proof: 'sealed', tree: { files: 4 } });
  git(project, 'add', '-A');
  expect(gate?.['tree']).toMatchObject({ id: git(project, 'write-tree').trim() });
  expect(gatesLeft(project)).toEqual([]);
});

sealedTest.each<[string, readonly string[]]>([
  [
    'a smudge filter that makes other files of the work on checkout',
    [
      'git config filter.cheat.smudge "printf \'#!/bin/sh\\necho 3\\n\'"',
      'echo "sum.sh filter=cheat" > .git/info/attributes',
      'echo more >> notes',
    ],
  ],
  [
    'an ignored file',
    ['mkdir -p cache', "printf '#!/bin/sh\\necho 3\\n' > cache/sum", 'echo "exec sh cache/sum" > sum.sh'],
  ],
  ['a file of the home', ["echo 'echo 3' > ~/sum", "printf '#!/bin/sh\\n. ~/sum\\n' > sum.sh"]],
  [
    'a file in the folder for temporary files',
    ["echo 'echo 3' > /tmp/ralphd-cheat", "printf '#!/bin/sh\\n. /tmp/ralphd-cheat\\n' > sum.sh"],
  ],
])('R6: a sealed gate is not deceived by %s', async (_what, lines) => {
  const project = projectWhoseAgent(...lines);
  onTestFinished(() => rmSync('/tmp/ralphd-cheat', { force: true }));
  const ended = await project.ralphd(...run, ...check, ...sealed, '-n', '1');
  expect(endLine(ended), ended.stderr).toMatchObject(notDone);
  expect(gatesLeft(project)).toEqual([]);
});

/** A package whose test is run by a local bin, as runners are installed. */
function packageWhoseAgent(...lines: readonly string[]): Project {
  const project = projectWhoseAgent(...lines);
  mkdirSync(path.join(project.folder, 'node_modules/.bin'), { recursive: true });
  mkdirSync(path.join(project.folder, 'node_modules/runner'));
  project.write(
    'node_modules/runner/index.js',
    "process.exit(require('child_process').spawnSync('sh', ['tests/sum.sh']).status)",
  );
  project.write('node_modules/.bin/runner', "#!/usr/bin/env node\nrequire('../runner/index.js')\n");
  execFileSync('chmod', ['+x', path.join(project.folder, 'node_modules/.bin/runner')]);
  project.write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'runner' } }));
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'package');
  return project;
}

const plant = (name: string, ...lines: readonly string[]) =>
  `rm -f ${name}; printf '${['#!/bin/sh', ...lines, ''].join('\\n')}' > ${name}; chmod +x ${name}; echo more >> notes`;

sealedTest.each<[string, string]>([
  ['a shell beside the runner', plant('node_modules/.bin/sh', 'exit 0')],
  ['a node beside the runner', plant('node_modules/.bin/node', 'exit 0')],
  ['another runner', plant('node_modules/.bin/runner', 'exit 0')],
  [
    'a file of the runner that is edited in place',
    'echo "process.exit(0)" > node_modules/runner/index.js; echo more >> notes',
  ],
])('R6: with real npm a sealed gate is not deceived by %s', async (_what, line) => {
  const project = packageWhoseAgent(line);
  const ended = await project.ralphd(...run, '--verify', 'npm test', ...sealed, '-n', '1');
  expect(endLine(ended), ended.stderr).toMatchObject(notDone);
  // The same tree, tried by hand with what was there before, fails.
  expect(factsOf(project, 'gate.finished')[0]).toMatchObject({ verdict: 'failed', proof: 'sealed' });
});

sealedTest('R6: with real npm honest work completes sealed', async () => {
  const project = packageWhoseAgent(honest);
  const ended = await project.ralphd(...run, '--verify', 'npm test', '--verify-in', 'sealed', '-n', '1');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
});

pytestTest(
  'R6: a replaced interpreter of a virtual environment does not deceive a sealed gate, with real pytest',
  async () => {
    const setUp = (...lines: readonly string[]) => {
      const project = projectWhoseAgent(...lines);
      execFileSync('/usr/bin/python3', ['-m', 'venv', '--system-site-packages', '--without-pip', '.venv'], {
        cwd: project.folder,
      });
      project.write('sum.py', 'def add(a, b):\n    return 0\n');
      project.write('test_sum.py', 'from sum import add\n\ndef test_add():\n    assert add(1, 2) == 3\n');
      git(project, 'add', '-A');
      git(project, 'commit', '-qm', 'python');
      return project;
    };
    const pytest = ['--verify', '.venv/bin/python -m pytest -q'];
    const cheat = setUp(plant('.venv/bin/python', 'echo 1 passed', 'exit 0'));
    expect(endLine(await cheat.ralphd(...run, ...pytest, ...sealed, '-n', '1'))).toMatchObject(notDone);
    const fixed = setUp("printf 'def add(a, b):\\n    return a + b\\n' > sum.py");
    const ended = await fixed.ralphd(...run, ...pytest, '--verify-in', 'sealed', '-n', '1');
    expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
  },
);

sealedTest('R6: a submodule is a part of what a sealed gate judges', async () => {
  const project = projectWhoseAgent(honest);
  const lib = path.join(project.env['HOME'] ?? '', 'lib');
  mkdirSync(lib);
  execFileSync(
    '/bin/sh',
    ['-c', 'git init -q && echo three > lib.txt && git add . && git -c user.name=A -c user.email=a@b commit -qm x'],
    { cwd: lib },
  );
  git(project, 'submodule', '--quiet', 'add', lib, 'lib');
  git(project, 'commit', '-qm', 'submodule');
  const both = ['--verify', 'sh tests/sum.sh && grep three lib/lib.txt'];
  const ended = await project.ralphd(...run, ...both, '--verify-in', 'sealed', '-n', '1');
  expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
});

sealedTest('R6: strict protection is sealed, too, and needs no git', async () => {
  const project = createProject();
  mkdirSync(path.join(project.folder, 'tests'));
  project.script('agent.sh', 'cat > /dev/null', 'echo "exit 0" > tests/sum.sh', claim);
  project.script('sum.sh', 'echo 0');
  project.script('tests/sum.sh', 'test "$(./sum.sh 1 2)" = 3');
  const ended = await project.ralphd(...run, ...check, ...sealed, '--protect', 'strict', '-n', '1');
  expect(endLine(ended), ended.stderr).toMatchObject(notDone);
});

sealedTest(
  'R6: dependencies that the agent adds are installed afresh in the room, by npm itself',
  async () => {
    const project = projectWhoseAgent(
      honest,
      'mkdir -p dep',
      'echo \'{"name":"dep","version":"1.0.0"}\' > dep/package.json',
      'echo "module.exports = 3" > dep/index.js',
      'npm install --no-audit --no-fund --silent ./dep',
    );
    project.write(
      'package.json',
      JSON.stringify({
        name: 'x',
        version: '1.0.0',
        scripts: { test: 'sh tests/sum.sh && node -e "process.exit(require(\'dep\') === 3 ? 0 : 1)"' },
      }),
    );
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'package');
    const ended = await project.ralphd(...run, '--verify', 'npm test', '--verify-in', 'sealed', '-n', '1');
    expect(endLine(ended), ended.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
  },
  60_000,
);

sealedTest('R6: after a kill in the middle of a sealed check a resume leaves nothing of it behind', async () => {
  const project = projectWhoseAgent(honest);
  const waiting = 'sh tests/sum.sh && { test -f go || sleep 1000; }';
  const running = project.start([...run, '--verify', waiting, '--verify-in', 'sealed', '--no-baseline', '-n', '2']);
  await eventually(() => gatesLeft(project).length).toBe(1);
  await eventually(() => factsOf(project, 'gate.started').length).toBe(1);
  running.signal('SIGKILL');
  await running.ended;
  await eventually(() => project.processes().filter((pid) => pid !== process.pid)).toEqual([]);
  expect(gatesLeft(project)).toHaveLength(1);
  project.write('go', '');
  const resumed = await project.ralphd('resume', ...readdirSync(path.join(project.folder, '.ralph/loops')), '--json');
  expect(endLine(resumed), resumed.stderr).toMatchObject({ status: 'completed', verified: true, proof: 'sealed' });
  expect(gatesLeft(project)).toEqual([]);
});
