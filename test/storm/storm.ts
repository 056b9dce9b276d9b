import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createStore, type JournalEntry } from '../../src/store/index.ts';
import { createRandom, type Random } from '../simulation/random.ts';

const launcher = path.resolve(import.meta.dirname, '../../bin/ralphd.mjs');

/** How hard it blows, and where. */
export interface StormOptions {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  readonly note?: (line: string) => void;
}

/** What the storm left behind. */
export interface StormReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** After which fact each kill came. */
  readonly killedAfter: Readonly<Record<string, number>>;
  readonly refusedOwners: number;
  readonly violations: readonly string[];
}

/**
 * Kills a real ralphd with SIGKILL again and again, each time at another moment, lets the next one take over, and
 * holds what was printed (and so acknowledged) against what the journal says in the end.
 */
export async function storm({ folder, kills, seed, note = () => {} }: StormOptions): Promise<StormReport> {
  const random = createRandom(seed);
  const weather = new Weather(folder);
  await layOut(folder);
  let loopId: string | undefined;
  for (let kill = 1; kill <= kills; kill += 1) {
    const strike = { afterLines: random.int(0, 23), thenMs: random.int(0, 11) };
    const gone = await weather.strike(loopId === undefined ? runArgs : ['resume', loopId, '--json'], strike, random);
    loopId ??= gone.loopId;
    note(`kill ${kill}: after ${gone.after}`);
    if (loopId !== undefined) await weather.look(loopId);
  }
  if (loopId === undefined) throw new Error('No loop was ever started.');
  await writeFile(path.join(folder, 'calm'), '');
  await weather.finish(loopId);
  await weather.compare(loopId);
  return weather.report(kills);
}

const runArgs = ['run', 'Weather the storm', '--agent-command', './agent.sh', '--json'];

async function layOut(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const agent = `#!/bin/sh
cat > /dev/null
if [ -f busy ] && kill -0 "$(cat busy)" 2> /dev/null; then echo "$(cat busy) $$" >> overlaps; fi
echo $$ > busy
echo "$(($(cat count 2> /dev/null || echo 0) + 1))" > count
rm -f busy
echo worked
`;
  const config = `verify: ["test -f calm"]
completionPromise: null
maxIterations: 0
maxTime: 2h
iterationDelay: 0s
stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }
`;
  await writeFile(path.join(folder, 'agent.sh'), agent);
  await chmod(path.join(folder, 'agent.sh'), 0o755);
  await writeFile(path.join(folder, 'ralphd.yml'), config);
}

interface Strike {
  readonly afterLines: number;
  readonly thenMs: number;
}

interface Printed {
  readonly type: string;
  readonly seq?: number;
  readonly loopId?: string;
}

/** Keeps the books of one storm. */
class Weather {
  readonly #folder: string;
  readonly #acknowledged = new Map<number, string>();
  readonly #killedAfter: Record<string, number> = {};
  readonly #violations: string[] = [];
  #refusedOwners = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts ralphd, follows what it prints, and kills it after some lines and a moment. */
  async strike(args: readonly string[], { afterLines, thenMs }: Strike, random: Random) {
    const child = this.#start(args);
    let after = 'nothing';
    let loopId: string | undefined;
    let lines = 0;
    for await (const line of linesOf(child)) {
      const printed = this.#take(line);
      after = printed.type;
      loopId ??= printed.loopId;
      lines += 1;
      if (lines === 2 && loopId !== undefined && random.chance(0.25)) await this.#tryToSteal(loopId);
      if (lines <= afterLines) continue;
      setTimeout(() => child.kill('SIGKILL'), thenMs);
    }
    await ended(child);
    this.#killedAfter[after] = (this.#killedAfter[after] ?? 0) + 1;
    return { loopId, after };
  }

  /** Whoever looks at the loop after a kill must be able to read it. */
  async look(loopId: string): Promise<void> {
    const { stdout, code } = await this.#call(['status', loopId, '--json']);
    if (code !== 0) this.#violations.push(`the loop cannot be loaded: ${stdout}`);
  }

  /** The storm is over: the loop must reach its end. */
  async finish(loopId: string): Promise<void> {
    const child = this.#start(['resume', loopId, '--json']);
    let last: Printed = { type: 'nothing' };
    for await (const line of linesOf(child)) last = this.#take(line);
    const code = await ended(child);
    if (code !== 0) this.#violations.push(`the last resume ended with ${code}: ${JSON.stringify(last)}`);
  }

  /** Every fact that was printed must be in the journal; no two agents may have met. */
  async compare(loopId: string): Promise<void> {
    const entries = await readWholeJournal(this.#folder, loopId);
    const bySeq = new Map(entries.map(({ seq, type }) => [seq, type]));
    for (const [seq, type] of this.#acknowledged) {
      if (bySeq.get(seq) !== type) this.#violations.push(`fact ${seq}, ${type}, was acknowledged and is lost`);
    }
    const overlaps = await readFile(path.join(this.#folder, 'overlaps'), 'utf8').catch(() => '');
    if (overlaps !== '') this.#violations.push(`two agents at once: ${overlaps.trim()}`);
  }

  report(kills: number): StormReport {
    return {
      kills,
      acknowledged: this.#acknowledged.size,
      killedAfter: this.#killedAfter,
      refusedOwners: this.#refusedOwners,
      violations: this.#violations,
    };
  }

  /** A second owner must be refused while the first one lives. */
  async #tryToSteal(loopId: string): Promise<void> {
    const { code, stdout } = await this.#call(['resume', loopId, '--json']);
    if (code === 6) this.#refusedOwners += 1;
    else this.#violations.push(`a second owner was not refused but ended with ${code}: ${stdout}`);
  }

  #take(line: string): Printed {
    const printed = JSON.parse(line) as Printed;
    if (printed.seq !== undefined) this.#acknowledged.set(printed.seq, printed.type);
    return printed;
  }

  #start(args: readonly string[]): ChildProcess {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return spawn(process.execPath, [launcher, ...args], {
      cwd: this.#folder,
      env: this.#environment(),
      stdio: [...stdio],
    });
  }

  async #call(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
    const child = this.#start(args);
    let stdout = '';
    for await (const line of linesOf(child)) stdout += `${line}\n`;
    return { code: (await ended(child)) ?? -1, stdout };
  }

  #environment(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: this.#folder };
  }
}

function linesOf({ stdout }: ChildProcess): AsyncIterable<string> {
  if (stdout === null) throw new Error('Its output is not piped.');
  return createInterface({ input: stdout });
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Without the snapshot beside it a journal is read from its beginning. */
async function readWholeJournal(folder: string, loopId: string): Promise<readonly JournalEntry[]> {
  const copy = path.join(folder, 'copy');
  await cp(path.join(folder, '.ralph'), copy, { recursive: true });
  await rm(path.join(copy, 'loops', loopId, 'state.json'), { force: true });
  await rm(path.join(copy, 'loops', loopId, 'checkpoints'), { recursive: true, force: true });
  await rm(path.join(copy, 'loops', loopId, 'backups'), { recursive: true, force: true });
  const owner = { host: '', bootId: '', pid: process.pid, startTime: '' };
  const store = createStore({ root: copy, owner, isAlive: () => false, now: () => new Date() });
  return store.read(loopId).entries;
}
