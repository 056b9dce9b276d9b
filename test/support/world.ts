import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { grantAny, realPath } from '../../src/app/index.ts';
import { runInside } from './inside.ts';
import { processesAround } from './processes.ts';
import { toolSettings } from './system.ts';

/** Files of a project, contents by path. Contents that begin with `#!` become executable. */
export type Files = Readonly<Record<string, string>>;

/** The exit code and the output of a program. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A separate project, home and temporary folder, away from the user's. */
export interface World extends AsyncDisposable {
  /** The folder that contains all others. */
  readonly root: string;
  readonly project: string;
  readonly home: string;
  /** The whole environment of programs started here. */
  readonly env: Readonly<Record<string, string>>;
  write(files: Files): void;
  /** Runs a program to its end, or until its timeout. */
  run(program: string, args: readonly string[], more?: RunOptions): Promise<Ended>;
  /** Runs the built ralphd in the project to its end, inside this process. */
  ralphd(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Runs a shell program in a folder; by default in the project. */
  shell(lines: string, more?: RunOptions): Promise<Ended>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const longest = 180_000;

/** Creates a world with these programs before the system's on the PATH. */
export function createWorld(programs: readonly string[] = []): World {
  const root = mkdtempSync(path.join(os.tmpdir(), 'ralphd-world-'));
  const [project, home, temporary] = ['work/project', 'home', 'tmp'].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [project, temporary, path.join(home, '.local/bin')]) mkdirSync(folder, { recursive: true });
  const system = [...programs, path.dirname(process.execPath), '/usr/bin', '/bin'];
  const env = {
    // As on most machines, the user's programs come before the system's.
    PATH: [path.join(home, '.local/bin'), ...system].join(path.delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    ...toolSettings,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Tester',
    GIT_AUTHOR_EMAIL: 'tester@example.org',
    GIT_COMMITTER_NAME: 'Tester',
    GIT_COMMITTER_EMAIL: 'tester@example.org',
  };
  grantAny(realPath(root), env);
  const run: World['run'] = async (program, args, { cwd = project, env: other = {} } = {}) =>
    await runProgram([program, ...args], cwd, { ...env, ...other });
  return {
    root,
    project,
    home,
    env,
    write: (files) => writeFiles(project, files),
    run,
    ralphd: async (args, other = {}) => await runInside(args, { cwd: project, env: { ...env, ...other } }),
    shell: async (lines, more) => await run('/bin/sh', ['-c', lines], more),
    async [Symbol.asyncDispose]() {
      await endAll(root);
      rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function runProgram([program = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: longest, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end();
  });
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith('#!')) chmodSync(file, 0o755);
  }
}

/** Kills everything that an attack left running in this world. */
async function endAll(root: string): Promise<void> {
  for (let round = 0; round < 100; round += 1) {
    const left = processesAround(root);
    if (left.length === 0) return;
    for (const pid of left) endOne(pid);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/** One line of a journal. */
export interface Fact {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The facts of the only loop of a project; empty if no loop was created. */
export function factsIn(project: string): readonly Fact[] {
  const loops = path.join(project, '.ralph/loops');
  if (!existsSync(loops)) return [];
  return readdirSync(loops).flatMap((id) => {
    const journal = path.join(loops, id, 'journal');
    return readdirSync(journal)
      .toSorted()
      .flatMap((name) => readFileSync(path.join(journal, name), 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as Fact);
  });
}
