import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { identityOf, isAlive } from '../../src/process/index.ts';
import { processesAround } from '../support/processes.ts';
import { createProject, type Ended, endLine, eventually, jsonLines, type Project } from '../support/project.ts';
import { Acknowledged, readWholeJournal } from '../support/whole-journal.ts';

/** One agent of the corpus: it misbehaves in its first run and does the work in the next. */
export interface Hostile {
  /** A program of `agents/`, with its arguments. */
  readonly agent: string;
  /** Lines of the configuration. */
  readonly settings?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Done in the project before the loop starts. */
  readonly before?: (project: Project) => void;
}

/** A project whose loop met a hostile agent. */
export interface Meeting {
  readonly project: Project;
  readonly home: string;
  /** Each command line that drove the loop. */
  readonly runs: readonly Ended[];
  readonly loopId: string;
  /** Data of all facts of a kind, from the whole journal. */
  facts(type: string): readonly Record<string, unknown>[];
  /** Where an attempt keeps its files. */
  file(name: string, iteration?: number, attempt?: number): string;
}

const agents = path.join(import.meta.dirname, 'agents');

/** Short enough that a hanging agent costs a test little, long enough for an honest one on a slow machine. */
export const hasty = 'iteration: { timeout: 5s, killGrace: 300ms }\n';

/** A project with a hostile agent; its tools stand outside the work tree, where it does not harm them. */
export function createHostileProject({ agent, settings = '', before }: Hostile): Project {
  const project = createProject();
  const home = path.dirname(project.folder);
  onTestFinished(() => endAll(project));
  writeProgram(path.join(home, 'agent.sh'), [
    'cat > /dev/null',
    'echo run >> "$HOME/runs"',
    `if [ "$(wc -l < "$HOME/runs")" -eq 1 ]; then exec ${path.join(agents, agent)}; fi`,
    'touch done',
    'echo "<promise>DONE</promise>"',
  ]);
  writeProgram(path.join(home, 'check.sh'), ['test -f done']);
  const config = { agent: 'command', agentCommand: [path.join(home, 'agent.sh')], iterationDelay: '0s' };
  const lines = Object.entries({ ...config, verify: [[path.join(home, 'check.sh')]], baseline: false });
  project.write(
    'ralphd.yml',
    `${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n')}\n${settings}`,
  );
  before?.(project);
  return project;
}

/** Lets a loop meet a hostile agent; a loop that the agent ended is resumed once. */
export async function meet(hostile: Hostile): Promise<Meeting> {
  const project = createHostileProject(hostile);
  const first = await project.start(['run', 'x', '-n', '5', '--json'], hostile.env).ended;
  const runs = first.code === 0 ? [first] : [first, await resume(project)];
  return describeMeeting(project, runs);
}

/** Continues a loop; the agent that waits for it may go on. */
export async function resume(project: Project, loopId?: string): Promise<Ended> {
  project.write('go', '');
  return await project.program('resume', ...(loopId === undefined ? [] : [loopId]), '--json');
}

/** What can be asked about a loop that met its agent. */
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

/** Whatever the agent did: the loop is done, can be loaded, has lost nothing, and no process is left. */
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

/** Nothing that the loop or its agent ever started is alive. */
export async function expectNothingLeft(project: Project): Promise<void> {
  await eventually(() => left(project)).toEqual([]);
}

function left(project: Project): readonly number[] {
  const around = processesAround(path.dirname(project.folder));
  return [...new Set([...around, ...project.processes(), ...notedAndAlive(project)])];
}

/** Those who noted themselves and still live, whatever they did to hide. */
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
      // It ended by itself.
    }
  }
}

function writeProgram(file: string, lines: readonly string[]): void {
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
}
