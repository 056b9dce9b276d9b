import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, type Project, stateOf } from '../support/project.ts';

test('to resume a loop that has ended says how it ended, exits as that did, and writes nothing', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  const before = contentOf(project);
  const again = await project.ralphd('resume', '--json');
  expect(again.code).toBe(0);
  expect(endLine(again)).toMatchObject({ type: 'loop.ended', status: 'completed', verified: true, exitCode: 0 });
  const refused = await project.ralphd('resume', '-n', '9', '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ type: 'error', code: 'RESUME_REFUSED' });
  expect(contentOf(project)).toEqual(before);
});

test('a state.json that a killed process left behind the end of its loop is brought up to date by a resume, once', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  const state = `.ralph/loops/${String(stateOf(project)['loop_id'])}/state.json`;
  rmSync(path.join(project.folder, state));
  expect((await project.ralphd('resume', '--json')).code).toBe(0);
  expect(stateOf(project)).toMatchObject({ status: 'completed' });
  const after = contentOf(project);
  expect((await project.ralphd('resume', '--json')).code).toBe(0);
  expect(contentOf(project)).toEqual(after);
});

/** Every file of the only loop but its lock, with its content. */
function contentOf(project: Project): Readonly<Record<string, string>> {
  const folder = path.join(project.folder, '.ralph/loops');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'lock',
  );
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((file) => [path.relative(folder, file), readFileSync(file, 'base64')]));
}
