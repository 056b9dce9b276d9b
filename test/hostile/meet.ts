import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { identityOf, isAlive } from '../../src/process/index.ts';
import { processesAround } from '../support/processes.ts';
import { createProject, type Ended, endLine, eventually, jsonLines, type Project } from '../support/project.ts';
import { Acknowledged, readWholeJournal } from '../support/whole-journal.ts';

/** One hostile agent: it misbehaves in its first run and does the work in the next. */
export interface Hostile {
  /** A program in `agents/`, with its arguments. */
  readonly agent: string;
  /** In how many runs it misbehaves; 1 when left out. */
  readonly runs?: number;
  /** Lines of the configuration. */
  readonly settings?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the agent and the checks run in a sandbox; its notes are outside the work tree all the same. */
  readonly sandbox?: 'on' | 'strict';
  /** Whether ralphd runs inside the test's process: only for agents that harm files, not processes. */
  readonly isInside?: boolean;
  /** Runs in the project before the loop starts. */
  readonly before?: (project: Project) => void;
}

/** A project whose loop ran a hostile agent. */
export interface Meeting {
  readonly project: Project;
  readonly home: string;
  /** Each command that ran the loop. */
  readonly runs: readonly Ended[];
  readonly loopId: string;
  /** The data of all facts of one type, from the whole journal. */
  facts(type: string): readonly Record<string, unknown>[];
  /** The path of a file of an attempt. */
  file(name: string, iteration?: number, attempt?: number): string;
}

const agents = path.join(import.meta.dirname, 'agents');

/** Short enough that a hanging agent does not slow the test down, long enough for an honest agent on a slow machine. */
export const hasty = 'iteration: { timeout: 5s, killGrace: 300ms }\n';

/** A project with a hostile agent; its tools are outside the work tree, where the agent does not damage them. */
export function createHostileProject({ agent, runs = 1, settings = '', sandbox, before }: Hostile): Project {
  const project = createProject();
  const home = path.dirname(project.folder);
  onTestFinished(() => endAll(project));
  writeProgram(path.join(home, 'agent.sh'), [
    'cat > /dev/null',
    'echo run >> "$HOME/runs"',
    `if [ "$(wc -l < "$HOME/runs")" -le ${runs} ]; then exec ${path.join(agents, agent)}; fi`,
    'touch done',
    'echo "<promise>DONE</promise>"',
  ]);
  writeProgram(path.join(home, 'check.sh'), ['test -f done']);
  const config = { agent: 'command', agentCommand: [path.join(home, 'agent.sh')], iterationDelay: '0s' };
  const lines: (readonly [string, unknown])[] = Object.entries({
    ...config,
    verify: [[path.join(home, 'check.sh')]],
    baseline: false,
  });
  if (sandbox !== undefined) lines.push(...enclosed(home, sandbox));
  project.write(
    'ralphd.yml',
    `${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n')}\n${settings}`,
  );
  before?.(project);
  return project;
}

/** Makes the project a repository with one commit. */
export function makeRepository({ folder, env }: Project): void {
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: folder, env, stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '-m', 'first');
}

/** The agent notes in its home how often it ran; what it starts may be in a folder that a sandbox hides. */
function enclosed(home: string, sandbox: 'on' | 'strict'): readonly (readonly [string, unknown])[] {
  const write = ['runs', 'pids', 'ready', 'signals'].map((name) => path.join(home, name));
  for (const file of write) writeFileSync(file, '');
  return [
    ['sandbox', sandbox],
    ['sandboxPaths', { write, show: [agents] }],
  ];
}

/** Runs a loop with a hostile agent; a loop that the agent killed is resumed once. */
export async function meet(hostile: Hostile): Promise<Meeting> {
  const project = createHostileProject(hostile);
  const { env = {}, isInside } = hostile;
  const args = ['run', 'x', '-n', String((hostile.runs ?? 1) + 4), '--json'];
  const first = await (isInside === true ? project.begin(args, env) : project.start(args, env)).ended;
  const runs = first.code === 0 ? [first] : [first, await resume(project)];
  return describeMeeting(project, runs);
}

/** Resumes a loop, and lets an agent that waits for the file `go` continue. */
export async function resume(project: Project, loopId?: string): Promise<Ended> {
  project.write('go', '');
  return await project.program('resume', ...(loopId === undefined ? [] : [loopId]), '--json');
}

/** Collects the results of a loop that ran a hostile agent. */
export function describeMeeting(project: Project, runs: readonly Ended[]): Meeting {
  const loopId = String(runs.flatMap(({ stdout }) => jsonLines(stdout)).find((line) => 'loopId' in line)?.['loopId']);
  return {
    project,
    home: path.dirname(project.folder),
    runs,
    loopId,
    facts: (type) =>
      readWholeJournal(project.folder, loopId).flatMap((entry) =>
        entry.type === type ? [entry.data as Record<string, unknown>] : [],
      ),
    file: (name, iteration = 1, attempt = 1) => {
      const number = String(iteration).padStart(3, '0');
      const inLoop = ['iterations', number, `attempt-${attempt}`, name];
      return path.join(project.folder, '.ralph/loops', loopId, ...inLoop);
    },
  };
}

/** Expects that the loop completed, can be loaded and lost nothing, and that no process is left. */
export async function expectHealthy(meeting: Meeting, iterations: number): Promise<void> {
  const { project, runs, loopId } = meeting;
  const last = runs.at(-1);
  expect(last && endLine(last), JSON.stringify(runs)).toMatchObject({
    status: 'completed',
    reason: 'completed',
    verified: true,
    iterations,
    exitCode: 0,
  });
  await expectNothingLeft(project);
  const status = await project.ralphd('status', loopId, '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ loopId, status: 'completed', iteration: iterations });
  const entries = readWholeJournal(project.folder, loopId);
  const acknowledged = new Acknowledged();
  for (const { stdout } of runs) for (const line of stdout.trimEnd().split('\n')) acknowledged.take(line);
  expect(acknowledged.lostFrom(entries)).toEqual([]);
}

/** Expects that no process started by the loop or its agent is alive. */
export async function expectNothingLeft(project: Project): Promise<void> {
  await eventually(() => left(project)).toEqual([]);
}

function left(project: Project): readonly number[] {
  const around = processesAround(path.dirname(project.folder));
  return [...new Set([...around, ...project.processes(), ...notedAndAlive(project)])];
}

/** Processes that recorded their id and are still alive, even if they hide. */
function notedAndAlive(project: Project): readonly number[] {
  const file = path.join(path.dirname(project.folder), 'pids');
  const self = identityOf(process.pid);
  if (!existsSync(file) || self === undefined) return [];
  const notes = readFileSync(file, 'utf8').trimEnd().split('\n');
  return notes.flatMap((note) => {
    const [pid, startTime = ''] = note.split(' ');
    return isAlive({ ...self, pid: Number(pid), startTime }) ? [Number(pid)] : [];
  });
}

function endAll(project: Project): void {
  for (const pid of left(project)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }
}

function writeProgram(file: string, lines: readonly string[]): void {
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
}
