import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Finding, mustHold } from './findings.ts';
import { processesAround } from './processes.ts';
import { waitUntil } from './wait.ts';

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running ralphd. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** The objects printed so far, one per line. */
  printed(): readonly Printed[];
  hasEnded(): boolean;
  kill(signal: NodeJS.Signals): void;
}

/** An object printed by `--json`. */
export type Printed = Readonly<Record<string, unknown>> & { readonly type?: string; readonly seq?: number };

/** What every project of a self-test shares. */
export interface Surrounding {
  /** How ralphd is started. */
  readonly program: readonly string[];
  readonly searchPath: string;
  /** For temporary files. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** A folder with an agent and a check, in which the real program runs as a user would run it. */
export class Project {
  /** Outside the work tree; also the HOME of everything that runs here. */
  readonly home: string;
  readonly folder: string;
  readonly #surrounding: Surrounding;

  constructor(home: string, surrounding: Surrounding) {
    this.home = home;
    this.folder = path.join(home, 'project');
    this.#surrounding = surrounding;
    mkdirSync(this.folder, { recursive: true });
  }

  get env(): NodeJS.ProcessEnv {
    const { searchPath, scratch } = this.#surrounding;
    // A repository around the temporary folder is none of the loop's business.
    const git = { GIT_CEILING_DIRECTORIES: path.dirname(scratch) };
    return { PATH: searchPath, HOME: this.home, TMPDIR: scratch, LC_ALL: 'C', NODE: process.execPath, ...git };
  }

  /** Writes an executable shell program into the work tree. */
  script(name: string, ...lines: readonly string[]): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(file, 0o755);
  }

  /** Writes the configuration; JSON is valid YAML. */
  settings(settings: object): void {
    writeFileSync(path.join(this.folder, 'ralphd.yml'), JSON.stringify(settings));
  }

  /** Writes a file next to the work tree. */
  writeHome(name: string, text = ''): void {
    writeFileSync(path.join(this.home, name), text);
  }

  hasHome(name: string): boolean {
    return existsSync(path.join(this.home, name));
  }

  /** The lines of a file next to the work tree; none if there is no such file. */
  homeLines(name: string): readonly string[] {
    return this.hasHome(name) ? readFileSync(path.join(this.home, name), 'utf8').trimEnd().split('\n') : [];
  }

  /** How ralphd is started with these arguments. */
  command(args: readonly string[], nodeArgs: readonly string[] = []): readonly string[] {
    const [node = process.execPath, ...rest] = this.#surrounding.program;
    return [node, ...nodeArgs, ...rest, ...args];
  }

  start(args: readonly string[], nodeArgs: readonly string[] = []): Running {
    return this.startOther(this.command(args, nodeArgs));
  }

  /** Starts another program in the work tree. */
  startOther([file = '', ...args]: readonly string[]): Running {
    this.#surrounding.signal.throwIfAborted();
    // A group of its own: Ctrl-C in the terminal must reach the self-test only.
    const child = spawn(file, args, {
      cwd: this.folder,
      env: this.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let hasEnded = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const ended = closed.then(([code, signal]) => {
      hasEnded = true;
      return { code, signal, stdout, stderr };
    });
    return { ended, printed: () => printedIn(stdout), hasEnded: () => hasEnded, kill: (name) => void child.kill(name) };
  }

  async ralphd(...args: readonly string[]): Promise<Ended> {
    return await this.start(args).ended;
  }

  /** Starts the loop of this project with `./agent.sh` and `./check.sh`. */
  startLoop(...more: readonly string[]): Running {
    return this.start(loopArgs(...more));
  }

  /** What `status --json` says about the only loop. */
  async status(): Promise<Printed> {
    const { code, stdout, stderr } = await this.ralphd('status', '--json');
    mustHold(code === 0, `"ralphd status" exits with ${code}: ${lastLine(stderr + stdout)}`);
    return printedIn(stdout).at(-1) ?? {};
  }

  get loopFolder(): string {
    const loops = path.join(this.folder, '.ralph', 'loops');
    const [id, ...others] = existsSync(loops) ? readdirSync(loops) : [];
    if (id === undefined || others.length > 0) throw new Finding(`there are ${others.length + 1} loops instead of one`);
    return path.join(loops, id);
  }

  /** Everything that runs in this project, at any depth. */
  processes(): readonly number[] {
    return processesAround(this.home);
  }

  /** Waits for something that the program or the agent does. */
  async until(what: string, condition: () => boolean): Promise<void> {
    await waitUntil(what, condition, this.#surrounding.signal);
  }
}

/** The arguments that start a loop with the agent and the check of a project. */
export function loopArgs(...more: readonly string[]): readonly string[] {
  const usual = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh', '--delay', '0'];
  // The settings that a scenario writes are its own.
  return ['run', 'Self-test', ...usual, '--no-baseline', '--trust-project', '--json', ...more];
}

/** The whole lines of JSON that a program printed. */
export function printedIn(stdout: string): readonly Printed[] {
  return stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Printed);
}

/** The last line of a text, to quote it. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.slice(0, 200) ?? '';
}

/** The loop must have ended as completed and verified. */
export function mustBeCompleted({ code, stdout, stderr }: Ended): void {
  const end = printedIn(stdout).at(-1) ?? {};
  const isCompleted = end['status'] === 'completed' && end['verified'] === true;
  mustHold(code === 0 && isCompleted, `the loop was not completed: exit code ${code}, ${lastLine(stdout || stderr)}`);
}
