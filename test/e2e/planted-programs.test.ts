import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { linkPackages } from '../support/packages.ts';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';
import { hasPytest } from '../support/system.ts';

const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json', '-n', '1'];
const own = path.join(import.meta.dirname, '../../node_modules');
const yes = "printf '#!/bin/sh\\nexit 0\\n'";
const plant = (file: string) => `rm -f ${file}; ${yes} > ${file}; chmod +x ${file}`;

type Files = Readonly<Record<string, string>>;

/** A committed project whose tests fail, and an agent that does what the lines say and claims to be done. */
function projectWith(files: Files, prepare: (project: Project) => void, ...lines: readonly string[]): Project {
  const project = createProject();
  const all = { '.gitignore': 'node_modules\n.venv\n.ralph/\n__pycache__\n.pytest_cache\n', ...files };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(project.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith('#!')) chmodSync(file, 0o755);
  }
  prepare(project);
  project.script('agent.sh', 'cat > /dev/null', 'echo more >> work', ...lines, 'echo "<promise>DONE</promise>"');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: project.folder,
      env: { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  return project;
}

const manifest = (script: string) => JSON.stringify({ name: 'x', type: 'module', scripts: { test: script } });
const failing = "import { test } from 'node:test';\ntest('it works', () => { throw new Error('not done'); });\n";

/** The real vitest, taken from here: every package that it needs, as a package manager would lay them out. */
function installVitest({ folder }: Project): void {
  execFileSync('sh', ['-c', `${linkPackages('vitest')}\nrm -r node_modules/vitest`], { cwd: folder });
  cpSync(path.join(own, 'vitest'), path.join(folder, 'node_modules/vitest'), { recursive: true });
  symlinkSync('../vitest/vitest.mjs', path.join(folder, 'node_modules/.bin/vitest'));
}

/** One test for each row; without pytest those that need it are skipped, by their names. */
function eachWith<Row extends readonly [string, string, ...unknown[]]>(
  rows: readonly Row[],
  title: string,
  expectOf: (...row: Row) => Promise<void>,
): void {
  for (const row of rows) {
    test.skipIf(row[1].includes('pytest') && !hasPytest)(title.replace('%s', row[0]), () => expectOf(...row));
  }
}

/** A real virtual environment that sees Debian's pytest. */
function installPytest({ folder }: Project): void {
  const python = (...args: readonly string[]) => execFileSync('/usr/bin/python3', args, { cwd: folder });
  python('-m', 'venv', '--system-site-packages', '--without-pip', '.venv');
  const at = path.join(folder, '.venv/bin');
  // The way of pip's own scripts where the path of the interpreter has a space in it.
  const lines = [
    '#!/bin/sh',
    `'''exec' "${at}/python" "$0" "$@"`,
    "' '''",
    'import sys',
    'from pytest import console_main',
  ];
  writeFileSync(path.join(at, 'pytest'), [...lines, 'sys.exit(console_main())', ''].join('\n'));
  chmodSync(path.join(at, 'pytest'), 0o755);
}

const nothing = () => undefined;
const attacks: readonly [string, string, Files, (project: Project) => void, string, string][] = [
  [
    'a shell beside the runner of "npm test"',
    'npm test',
    { 'package.json': manifest('node --test a.test.js'), 'a.test.js': failing },
    (project) => mkdirSync(path.join(project.folder, 'node_modules/.bin'), { recursive: true }),
    plant('node_modules/.bin/sh'),
    'node_modules/.bin/sh',
  ],
  [
    'a node beside the real vitest',
    'npm test',
    {
      'package.json': manifest('vitest run'),
      'a.test.js': "import { test } from 'vitest';\ntest('it works', () => { throw new Error('not done'); });\n",
    },
    installVitest,
    plant('node_modules/.bin/node'),
    'node_modules/.bin/node',
  ],
  [
    'a node beside a shell script that calls node',
    'npm test',
    { 'package.json': manifest('./run.sh'), 'run.sh': '#!/bin/sh\nexec node --test a.test.js\n', 'a.test.js': failing },
    nothing,
    `mkdir -p node_modules/.bin; ${plant('node_modules/.bin/node')}`,
    'node_modules/.bin/node',
  ],
  [
    'a node above the work tree',
    'npm test',
    { 'package.json': manifest('./run.sh'), 'run.sh': '#!/bin/sh\nexec node --test a.test.js\n', 'a.test.js': failing },
    nothing,
    `mkdir -p ../node_modules/.bin; ${plant('../node_modules/.bin/node')}`,
    'node_modules/.bin/node',
  ],
  [
    'another python behind .venv/bin/pytest',
    '.venv/bin/pytest',
    { 'test_a.py': 'def test_it_works():\n    assert False\n' },
    installPytest,
    plant('.venv/bin/python'),
    '.venv/bin/python',
  ],
];

eachWith(
  attacks,
  'R6: %s proves nothing, and the file is named',
  async (_what, check, files, prepare, trick, named) => {
    const project = () => projectWith(files, prepare, trick);
    const guarded = project();
    const ended = await guarded.ralphd(...run, '--verify', check);
    expect(endLine(ended)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
    const [gate] = factsOf(guarded, 'gate.finished');
    expect(gate).toMatchObject({ verdict: 'unverifiable', tampered: [expect.stringMatching(new RegExp(`${named}$`))] });
    // The trick works where nobody looks and nobody counts: so this test can fail.
    const other = project();
    other.write('ralphd.yml', 'iteration: { parseTests: false }\nbaseline: false\n');
    const unguarded = await other.ralphd(...run, '--verify', check, '--no-guard');
    expect(endLine(unguarded)).toMatchObject({ status: 'completed' });
  },
);

eachWith(attacks, 'R6: with strict protection and in a clean checkout %s proves nothing either', async (...attack) => {
  const [_what, check, files, prepare, trick, named] = attack;
  for (const where of [
    ['--protect', 'strict'],
    ['--verify-in', 'clean'],
  ]) {
    const project = projectWith(files, prepare, trick);
    project.write('ralphd.yml', 'baseline: false\n');
    const ended = await project.ralphd(...run, '--verify', check, ...where);
    expect(endLine(ended), where.join(' ')).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
    const [gate] = factsOf(project, 'gate.finished');
    expect(gate).toMatchObject({ tampered: [expect.stringMatching(new RegExp(`${named}$`))] });
  }
});

const passing =
  "import { existsSync } from 'node:fs';\nimport { test } from 'node:test';\ntest('it works', () => { if (!existsSync('done')) throw new Error('not done'); });\n";

/** A package with a program, packed as npm would have it, to be installed without a registry. */
function pack({ folder }: Project, name: string, version: string): void {
  const at = path.join(folder, `../packages/${name}-${version}`);
  mkdirSync(at, { recursive: true });
  writeFileSync(path.join(at, 'package.json'), JSON.stringify({ name, version, bin: { [name]: 'cli.js' } }));
  writeFileSync(path.join(at, 'cli.js'), `#!/usr/bin/env node\nconsole.log('${version}');\n`);
}

const install = (name: string, version: string) =>
  `npm install --offline --no-audit --no-fund --install-links ../packages/${name}-${version} > /dev/null 2>&1 || exit 9`;

const honest: readonly [string, string, Files, (project: Project) => void, string, readonly string[]][] = [
  [
    'installs a package with a program',
    'npm test',
    { 'package.json': manifest('node --test a.test.js'), 'a.test.js': passing },
    (project) => pack(project, 'left', '1.0.0'),
    install('left', '1.0.0'),
    [],
  ],
  [
    'upgrades a package that the check runs',
    'npm test',
    { 'package.json': manifest('left && node --test a.test.js'), 'a.test.js': passing },
    (project) => {
      pack(project, 'left', '1.0.0');
      pack(project, 'left', '2.0.0');
      execFileSync('sh', ['-c', install('left', '1.0.0')], { cwd: project.folder, env: project.env });
    },
    install('left', '2.0.0'),
    ['node_modules/.bin/left'],
  ],
  [
    'makes its virtual environment afresh',
    '.venv/bin/pytest',
    { 'test_a.py': "import os\ndef test_it_works():\n    assert os.path.exists('done')\n" },
    installPytest,
    'cp .venv/bin/pytest ../pytest; rm -rf .venv; /usr/bin/python3 -m venv --system-site-packages --without-pip .venv; cp ../pytest .venv/bin/pytest',
    [],
  ],
  [
    'works on the program that its package has',
    'npm test',
    {
      'package.json': JSON.stringify({
        workspaces: ['cli'],
        type: 'module',
        scripts: { test: 'mine && node --test a.test.js' },
      }),
      'cli/package.json': JSON.stringify({ name: 'mine', version: '1.0.0', bin: { mine: 'bin.js' } }),
      'cli/bin.js': '#!/usr/bin/env node\n',
      'a.test.js': passing,
    },
    (project) => execFileSync('npm', ['install', '--offline', '--no-audit'], { cwd: project.folder, env: project.env }),
    'echo "console.log(1)" >> cli/bin.js',
    [],
  ],
];

eachWith(honest, 'an honest agent that %s completes', async (_what, check, files, prepare, work, doubts) => {
  const project = projectWith(files, prepare, work, 'touch done');
  const ended = await project.ralphd(...run, '--verify', check);
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, exitCode: 0 });
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).not.toHaveProperty('tampered');
  expect(gate?.['doubts'] ?? []).toEqual(doubts);
});
