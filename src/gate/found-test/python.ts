import path from 'node:path';
import type { ProjectFolder } from './project-folder.ts';
import { type Finder, testCommand } from './test-command.ts';

const sections: readonly (readonly [string, RegExp])[] = [
  ['pyproject.toml', /^\[tool\.pytest\b/m],
  ['tox.ini', /^\[pytest\]/m],
  ['setup.cfg', /^\[tool:pytest\]/m],
];

/** Pytest, through the environment manager of the project. */
export const findPytest: Finder = (project) => {
  const from = signOfPytest(project);
  if (from === undefined) return undefined;
  const command = commandFor(project);
  const stems = [command, 'pytest', 'py.test', 'python -m pytest', 'python3 -m pytest', 'uv run pytest'];
  const hasTests = project.anyFile((file) => isTestFile(path.basename(file)));
  return testCommand(command, from, { stems: [...stems, 'poetry run pytest', 'tox', 'nox'], hasTests });
};

function signOfPytest(project: ProjectFolder): string | undefined {
  if (project.has('pytest.ini')) return 'pytest.ini';
  const named = sections.find(([file, section]) => project.has(file) && section.test(project.text(file) ?? ''));
  if (named !== undefined) return named[0];
  if (project.has('conftest.py')) return 'conftest.py';
  if (!project.has('tests')) return undefined;
  const isSign = (file: string) => /^tests\/(conftest|test_[^/]*)\.py$/.test(file);
  return project.anyFile(isSign) ? 'tests' : undefined;
}

function commandFor(project: ProjectFolder): string {
  if (project.has('uv.lock')) return 'uv run pytest';
  if (project.has('poetry.lock')) return 'poetry run pytest';
  const own = ['.venv/bin/pytest', 'venv/bin/pytest'].find(project.has);
  return own ?? 'pytest';
}

function isTestFile(name: string): boolean {
  return /^test_.*\.py$|_test\.py$/.test(name);
}
