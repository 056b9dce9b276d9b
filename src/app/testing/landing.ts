import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { edit, idleLoop, type Loop } from '../../core/index.ts';
import { planGate } from '../../gate/index.ts';
import { type LoopConfigInput, parseConfig } from '../../protocol/index.ts';
import type { LandingRequest } from '../land-plan.ts';

/** A repository with a check, to land loops in. */
export interface LandingWorld {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  at(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
  /** Runs a shell line in the repository, which must succeed, and returns what it prints. */
  sh(line: string): Promise<string>;
  /** A completed loop on a branch of its own, with the result of a shell line committed there. */
  loop(name: string, line: string, input?: LoopConfigInput): Promise<LandingRequest>;
}

/** Fails when two files that are fine alone are there together, or when `broken` is. */
const check = 'test ! -f broken && ! { test -f one && test -f two; }';

/** A repository in a temporary folder, with one commit on `main`. */
export async function createLandingWorld(): Promise<LandingWorld> {
  const home = mkdtempSync(path.join(tmpdir(), 'ralphd-landing-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  const folder = path.join(home, 'repo');
  await copyTemplate(folder);
  const env = environment(home);
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const sh = async (line: string) => await shell(line, { cwd: folder, env });
  return {
    folder,
    env,
    at,
    read: (name) => readFileSync(at(name), 'utf8'),
    write,
    has: (name) => existsSync(at(name)),
    sh,
    async loop(name, line, input = {}) {
      const worktree = path.join(home, 'repo.worktrees', name);
      const baseCommit = await sh(`git worktree add -q -b ralphd/${name} ${worktree} HEAD && git rev-parse HEAD`);
      const config = parseConfig({ verify: ['./check.sh'], worktree: name, ...input });
      const gate = planGate(config, { workingDirectory: worktree, env }).data;
      await sh(`cd ${worktree} && ${line}`);
      const state = path.join(folder, '.git', `state-${name}`);
      mkdirSync(state, { mode: 0o700 });
      const loop = completedLoop(name, {
        config,
        gate,
        workingDirectory: worktree,
        worktree: { path: worktree, branch: `ralphd/${name}`, baseBranch: 'main', baseCommit },
      });
      return {
        loop,
        folder: state,
        place: { workingDirectory: folder, root: path.join(folder, '.ralph') },
        context: { cwd: folder, env },
        method: 'auto',
        commit: false,
        keep: false,
        force: false,
        dryRun: false,
        signal: new AbortController().signal,
      };
    },
  };
}

function environment(home: string): NodeJS.ProcessEnv {
  const identity = {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, GIT_CONFIG_NOSYSTEM: '1', ...identity };
}

/** Directly, because tests run many of them: what supervises processes is not needed here. */
async function shell(line: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  return (await promisify(execFile)('/bin/sh', ['-c', line], options)).stdout.trim();
}

/** One file of the repository that every world starts with. */
interface TemplateFile {
  readonly name: string;
  readonly bytes: Buffer;
}

let made: Promise<readonly TemplateFile[]> | undefined;

/** Writes the repository that every world starts with: git makes it once, and copies cost no process. */
async function copyTemplate(folder: string): Promise<void> {
  made ??= makeTemplate();
  for (const { name, bytes } of await made) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: name === 'check.sh' ? 0o755 : 0o644 });
  }
  for (const name of ['info', 'hooks', 'refs/tags']) mkdirSync(path.join(folder, '.git', name), { recursive: true });
}

async function makeTemplate(): Promise<readonly TemplateFile[]> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'ralphd-landing-'));
  try {
    writeFileSync(path.join(cwd, 'check.sh'), `#!/bin/sh\n${check}\n`, { mode: 0o755 });
    writeFileSync(path.join(cwd, 'file'), 'first\n');
    await shell('git init -q --template= -b main && git add -A && git commit -qm first', {
      cwd,
      env: environment(cwd),
    });
    const entries = readdirSync(cwd, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return files.map((file) => ({ name: path.relative(cwd, file), bytes: readFileSync(file) }));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function completedLoop(
  name: string,
  {
    config,
    gate,
    ...origin
  }: Pick<Loop['origin'], 'workingDirectory' | 'worktree'> & {
    readonly config: Loop['config'];
    readonly gate: ReturnType<typeof planGate>['data'];
  },
): Loop {
  // Landings of one loop remove each other's temporary folders, also those of another run of the tests.
  const suffix = randomBytes(4).toString('hex');
  return edit(idleLoop(config), {
    id: `ralph-${name}-${suffix}`,
    status: 'completed',
    outcome: { verified: true },
    origin: { ...origin, uuid: `${suffix}-0000-4000-8000-${name}`, task: `Make ${name}`, agent: 'command' },
    gate,
  });
}
