import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { putFiles, standInFolder } from '../../src/cli/testing/stand-ins.ts';
import { createProject, type Project } from '../support/project.ts';
import { Stage } from '../support/stage.ts';
import { hasPytest } from '../support/system.ts';
import { programFolders, type SetupKind, setupKinds } from './kinds.ts';

const id = 'ralph-setup-a1b2c3d4';
const exitCodes = { completed: 0, refused: 78 };

test.for(setupKinds)('init, doctor and run read well and work without an edit: $name', async (kind, context) => {
  const missing = missingProgram(kind);
  if (missing !== undefined) context.skip(`${missing} is not installed`);
  const project = createProject();
  const env = environmentFor(kind, project);
  prepare(kind, project, env);
  const stage = new Stage(project, { columns: 80, rows: 24 }, env);
  const play = async (...args: readonly string[]) => await stage.play(`setup-${kind.name}-${args[0]}`, ...args);
  expect(await play('init')).toBe(0);
  expect(await play('doctor')).toBe(0);
  const task = kind.task === undefined ? [] : [kind.task];
  expect(await play('run', '--plain', ...task, '--delay', '0', '--loop-id', id)).toBe(exitCodes[kind.ending]);
  const loop = path.join(project.folder, kind.stateDir ?? '.ralph', 'loops', id);
  if (kind.ending === 'refused') expect(existsSync(loop)).toBe(false);
  else expect(lastFact(loop)).toMatchObject({ type: 'loop.ended', data: { reason: 'completed', verified: true } });
});

function missingProgram(kind: SetupKind): string | undefined {
  const folders = programFolders(kind);
  return kind.needs?.find((name) => {
    if (name === 'pytest') return !hasPytest;
    return !folders.some((folder) => existsSync(path.join(folder, name))) && onCallersPath(name) === undefined;
  });
}

function onCallersPath(name: string): string | undefined {
  const folders = process.env['PATH']?.split(path.delimiter) ?? [];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

function environmentFor(kind: SetupKind, { folder }: Project): NodeJS.ProcessEnv {
  const { standIns = {}, agents = ['claude'], work } = kind;
  const own = standInFolder(standIns, agents, work);
  // The folder of npm may have agents that must not be started.
  const npm = kind.needs?.includes('npm') === true ? onCallersPath('npm') : undefined;
  if (npm !== undefined) symlinkSync(npm, path.join(own, 'npm'));
  return {
    PATH: [own, ...programFolders(kind)].join(path.delimiter),
    PROJECT: folder,
    ANTHROPIC_API_KEY: 'not-to-be-shown',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    CARGO_NET_OFFLINE: 'true',
  };
}

function prepare(kind: SetupKind, { folder, env: own }: Project, more: NodeJS.ProcessEnv): void {
  putFiles(folder, kind.files);
  const env = { ...own, ...more };
  const run = (lines: string) => execFileSync('/bin/sh', ['-ec', lines], { cwd: folder, env });
  if (kind.prepare !== undefined) run(kind.prepare);
  const author = '-c user.name=Tester -c user.email=tester@example.org';
  if (kind.withoutGit !== true) run(`git init -q -b main; git add -A; git ${author} commit -q -m start`);
}

function lastFact(loop: string): unknown {
  const journal = path.join(loop, 'journal');
  const last = readdirSync(journal).toSorted().at(-1) ?? '';
  return JSON.parse(readFileSync(path.join(journal, last), 'utf8').trimEnd().split('\n').at(-1) ?? '');
}
