import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeClaude } from '../support/claude.ts';
import { programOf } from '../support/programs.ts';
import { createProject, type Project } from '../support/project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Runs a program in a project that has the package installed; returns what it prints. */
async function play(project: Project, name: string): Promise<string> {
  mkdirSync(path.join(project.folder, 'node_modules'));
  symlinkSync(root, path.join(project.folder, 'node_modules/ralphd'));
  project.write('package.json', '{ "type": "module" }');
  project.write('program.ts', programOf(name));
  const options = { cwd: project.folder, env: project.env, timeout: 120_000 };
  return (await run(process.execPath, ['program.ts'], options)).stdout;
}

test("A178 A179 A195: a program written from ultraplan's summary behaves as that says", async () => {
  expect(await play(createProject(), 'ultraplan')).toMatchInlineSnapshot(`
    "100 DONE
    1 100 DONE Build it true false
    false false true
    3 SHIPPED
    "
  `);
});

test('A036 A097 A135: a program written from the surface of the documents behaves as they say', async () => {
  const project = createProject();
  project.write('prompt.md', 'Make the tests pass');
  writeClaude(project, 'claude.sh', { text: 'Working on it.\n\n## Summary\nAdded a line.' });
  expect(await play(project, 'tachikoma')).toMatchInlineSnapshot(`
    "started, iteration_started 1, iteration_completed 1, iteration_started 2, iteration_completed 2, stop_condition_triggered: 2 of 2 iterations, error: 2 of 2 iterations
    2 2 0 0
    1 true, 2 true
    stopped true
    2 2 1
    Added a line. true 0
    running 3 session-1 me
    "
  `);
  expect(project.processes()).toEqual([]);
});
