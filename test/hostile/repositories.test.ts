import { existsSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createProject, eventually, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import { hasTerminal, quoted, startLineInTerminal } from '../support/terminal.ts';
import { hostileRepositories, trace, writeOwnAgent } from './repositories.ts';

function stranger(): Project {
  const project = createProject({ isTrusted: false });
  project.env['PATH'] = `${path.dirname(project.folder)}${path.delimiter}${project.env['PATH'] ?? ''}`;
  writeOwnAgent(project);
  return project;
}

const isRobbed = ({ folder }: Project) => existsSync(path.join(folder, '..', trace));

test.for(hostileRepositories)('nothing of a repository runs unless it is trusted: $name', async (repository) => {
  const project = stranger();
  await repository.plant(project);
  const refused = await project.ralphd(...repository.args);
  expect(refused.stdout).toContain('PROJECT_NOT_TRUSTED');
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining(repository.shown) });
  expect(refused.stderr).not.toMatch(/[^\n\x20-\x7e\u00a0-\u{1ffff}]/u);
  expect(isRobbed(project)).toBe(false);
  // It would work.
  await project.ralphd(...repository.args, '--trust-project');
  expect(isRobbed(project)).toBe(true);
});

test('in a terminal every hostile repository is shown and asked about, and no is the usual answer', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const projects: Project[] = [];
  for (const repository of hostileRepositories) {
    const project = stranger();
    await repository.plant(project);
    projects.push(project);
  }
  const [first = stranger()] = projects;
  const lines = hostileRepositories.map(({ args }, index) => {
    const { folder = '' } = projects[index] ?? {};
    const env = `HOME=${quoted([path.dirname(folder)])} PATH=${quoted([path.dirname(folder)])}:"$PATH"`;
    return `cd ${quoted([folder])}; ${env} ${quoted([process.execPath, launcher, ...args])}; echo "code $?"`;
  });
  const terminal = startLineInTerminal(first, `stty cols 160; ${lines.join('; ')}`);
  for (const [index, { shown, name }] of hostileRepositories.entries()) {
    const asked = () => terminal.output().stdout.split('y/N').length - 1;
    await eventually(asked).toBe(index + 1);
    expect(stripVTControlCharacters(terminal.output().stdout), name).toContain(shown);
    terminal.press(index % 2 === 0 ? '\r' : 'n\r');
  }
  const { stdout } = await terminal.ended;
  expect(stdout.match(/code \d+/g)).toEqual(hostileRepositories.map(() => 'code 78'));
  expect(projects.filter(isRobbed)).toEqual([]);
});
