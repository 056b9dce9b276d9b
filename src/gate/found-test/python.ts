import path from 'node:path';
import type { ProjectFolder } from './project-folder.ts';
import { type Finder, testCommand } from './test-command.ts';

const sections: readonly (readonly [string, RegExp])[] = [
  ['pyproject.toml', /^\[tool\.pytest\b/m],
  ['tox.ini', /^\[pytest\]/m],
  ['setup.cfg', /^\[tool:pytest\]/m],
];

/** Files that name what a project depends on. */
const dependencyFiles = [
  'pyproject.toml',
  'requirements.txt',
  'requirements-dev.txt',
  'dev-requirements.txt',
  'requirements-test.txt',
  'setup.cfg',
  'setup.py',
  'Pipfile',
];

/** Pytest, through the environment manager of the project. */
export const findPytest: Finder = (project) => {
  const from = signOfPytest(project);
  if (from === undefined) return undefined;
  const command = pytestCommand(project);
  const stems = [command, 'pytest', 'py.test', 'python -m pytest', 'python3 -m pytest', 'uv run pytest'];
  const hasTests = project.anyFile((file) => isTestFile(path.basename(file)));
  return testCommand(command, from, { stems: [...stems, 'poetry run pytest', 'tox', 'nox'], hasTests });
};

/** Python's own runner, for tests that are written for it in a project that never mentions pytest. */
export const findUnittest: Finder = (project) => {
  const folder = ['tests', 'test', ''].find((name) => unittestFiles(project, name).length > 0);
  if (folder === undefined) return undefined;
  const python = interpreterOf(project);
  const command = `${python} -m unittest${discoveryOf(project, folder)}`;
  const stems = [command, `${python} -m unittest`, 'python -m unittest', 'python3 -m unittest', 'pytest', 'tox', 'nox'];
  const [first = ''] = unittestFiles(project, folder);
  return testCommand(command, folder === '' ? first : folder, { stems });
};

function signOfPytest(project: ProjectFolder): string | undefined {
  if (project.has('pytest.ini')) return 'pytest.ini';
  const named = sections.find(([file, section]) => project.has(file) && section.test(project.text(file) ?? ''));
  if (named !== undefined) return named[0];
  if (project.has('conftest.py')) return 'conftest.py';
  const wanted = dependencyFiles.find((file) => project.has(file) && /\bpytest\b/.test(project.text(file) ?? ''));
  if (wanted !== undefined) return wanted;
  if (!project.has('tests')) return undefined;
  const isSign = (file: string) => /^tests\/(conftest|test_[^/]*)\.py$/.test(file);
  return project.anyFile(isSign) && !needsOnlyUnittest(project) ? 'tests' : undefined;
}

function needsOnlyUnittest(project: ProjectFolder): boolean {
  if (project.has('tests/conftest.py') || ownPytest(project) !== undefined) return false;
  const files = unittestFiles(project, 'tests');
  return files.length > 0 && !files.some((file) => /^\s*(?:import|from) pytest\b/m.test(project.text(file) ?? ''));
}

/** The files directly in a folder that Python's own runner finds and that are written for it. */
function unittestFiles(project: ProjectFolder, folder: string): readonly string[] {
  const usesUnittest = /^\s*(?:import|from) unittest\b/m;
  return project
    .filesIn(folder)
    .filter((file) => /^test.*\.py$/.test(path.basename(file)) && usesUnittest.test(project.text(file) ?? ''));
}

/** With the project as the top folder where the tests are a package, so that they can import each other. */
function discoveryOf(project: ProjectFolder, folder: string): string {
  if (folder === '') return '';
  return ` discover -s ${folder}${project.has(`${folder}/__init__.py`) ? ' -t .' : ''}`;
}

function interpreterOf(project: ProjectFolder): string {
  if (project.has('uv.lock')) return 'uv run python';
  if (project.has('poetry.lock')) return 'poetry run python';
  return ['.venv/bin/python', 'venv/bin/python'].find(project.has) ?? 'python3';
}

function pytestCommand(project: ProjectFolder): string {
  if (project.has('uv.lock')) return 'uv run pytest';
  if (project.has('poetry.lock')) return 'poetry run pytest';
  return ownPytest(project) ?? 'pytest';
}

function ownPytest(project: ProjectFolder): string | undefined {
  return ['.venv/bin/pytest', 'venv/bin/pytest'].find(project.has);
}

function isTestFile(name: string): boolean {
  return /^test_.*\.py$|_test\.py$/.test(name);
}
