import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck } from '../support/agents.ts';
import { onlyId, pathIn } from '../support/loop-files.ts';
import { createProject, jsonLines, loopIds, type Project } from '../support/project.ts';

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

function refsOf(project: Project): readonly string[] {
  return git(project, 'for-each-ref', '--format=%(refname)', 'refs/ralphd').split('\n').filter(Boolean);
}

/** The folders in which sealed gates keep what they need. */
function gateFolders(project: Project): readonly string[] {
  const folder = path.join(path.dirname(project.folder), '.local/state/ralphd/gates');
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

/** A paused loop in a repository with a protected test, whose checks run in this place. */
async function pausedLoop(verifyIn: string): Promise<Project> {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.script('work.test.sh', 'test -f done');
  project.write('ralphd.yml', `onLimit: pause\nverifyIn: ${verifyIn}\nprotect: strict\nbaseline: false\n`);
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  const ended = await project.ralphd(...runOf('-n', '1'));
  expect(ended.code, ended.stderr).toBe(2);
  return project;
}

test('a removed loop takes the folder of its sealed gate with it, and names it', async () => {
  const project = await pausedLoop('sealed');
  const id = onlyId(project);
  const [gate = '', ...others] = gateFolders(project);
  expect([path.basename(gate), others]).toEqual([id, []]);
  const [report = {}] = jsonLines((await project.ralphd('rm', id, '--force', '--json')).stdout);
  expect(report['removed']).toContain(gate);
  expect([gateFolders(project), loopIds(project)]).toEqual([[], []]);
});

test('a removed loop takes its git reference with it, even if nothing of the loop can be read any more', async () => {
  const project = await pausedLoop('clean');
  const id = onlyId(project);
  expect(refsOf(project)).toEqual([`refs/ralphd/${id}/base`]);
  for (const name of readdirSync(pathIn(project, 'journal')))
    writeFileSync(pathIn(project, 'journal', name), 'damaged');
  for (const name of ['state.json', 'checkpoints', 'backups']) {
    rmSync(pathIn(project, name), { recursive: true, force: true });
  }
  const removed = await project.ralphd('rm', id, '--force');
  expect(removed.stdout).toContain(`removed: refs/ralphd/${id}/base\n`);
  expect([refsOf(project), loopIds(project)]).toEqual([[], []]);
});
