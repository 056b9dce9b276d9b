import path from 'node:path';
import { expect } from 'vitest';
import { runOf, writeBusyAgent, writeCheck } from './agents.ts';
import { createProject, jsonLines, loopIds, type Project } from './project.ts';

/** A project with one loop that paused after a number of iterations. */
export async function pausedProject(iterations: number, settings = ''): Promise<Project> {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', `onLimit: pause\n${settings}`);
  expect((await project.ralphd(...runOf('-n', String(iterations)))).code).toBe(2);
  return project;
}

/** The --json output of a command that must succeed. */
export async function ask(project: Project, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const ended = await project.ralphd(...args, '--json');
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  const [answer = {}] = jsonLines(ended.stdout);
  return answer;
}

/** The folder of the only loop, relative to the project. */
export function loopFolder(project: Project): string {
  const ids = loopIds(project);
  expect(ids).toHaveLength(1);
  return `.ralph/loops/${ids[0]}`;
}

/** An agent that writes the file `started` and then waits until `go` exists or it is stopped. */
export function writeWaitingAgent(project: Project): void {
  const wait = 'until [ -e go ]; do sleep 0.05; done';
  project.script('agent.sh', 'cat > heard', 'echo $$ >> started', wait, 'touch done', 'echo "<promise>DONE</promise>"');
}

/** A file of the only loop. */
export function pathIn(project: Project, ...names: readonly string[]): string {
  return path.join(project.folder, loopFolder(project), ...names);
}

/** The id of the only loop. */
export function onlyId(project: Project): string {
  return loopIds(project)[0] ?? '';
}

/** A JSON file of the only loop. */
export function readJson(project: Project, name: string): Record<string, unknown> {
  return JSON.parse(project.read(`${loopFolder(project)}/${name}`)) as Record<string, unknown>;
}
