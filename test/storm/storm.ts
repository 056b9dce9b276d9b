import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRandom, type Random } from '../simulation/random.ts';
import { callRalphd, ended, linesOf, startRalphd } from '../support/ralphd-process.ts';
import { layOutStorm, type StormOptions, stormArgs } from '../support/storms.ts';
import { Acknowledged, type Printed, readWholeJournal } from '../support/whole-journal.ts';

/** The result of a storm. */
export interface StormReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** How many kills followed each type of fact. */
  readonly killedAfter: Readonly<Record<string, number>>;
  readonly refusedOwners: number;
  readonly violations: readonly string[];
}

/**
 * Kills a real ralphd with SIGKILL repeatedly, each time at another moment, and lets the next one take over. At the
 * end, compares what was printed (and so acknowledged) with the journal.
 */
export async function storm({ folder, kills, seed, sandbox, note = () => {} }: StormOptions): Promise<StormReport> {
  const random = createRandom(seed);
  const weather = new Weather(folder);
  await layOutStorm(folder, agent, sandbox);
  let loopId: string | undefined;
  for (let kill = 1; kill <= kills; kill += 1) {
    const strike = { afterLines: random.int(0, 23), thenMs: random.int(0, 11) };
    const gone = await weather.strike(loopId === undefined ? stormArgs : ['resume', loopId, '--json'], strike, random);
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

const agent = `#!/bin/sh
cat > /dev/null
# In a sandbox each run has numbers of its own, so only the start time tells one process from another.
started() {
  read -r line < "/proc/$1/stat" || return
  set -- \${line##*) }
  echo "\${20}"
}
if [ -f busy ] && [ "$(started "$(cut -d' ' -f1 busy)" 2> /dev/null)" = "$(cut -d' ' -f2 busy)" ]; then
  echo "$(cat busy) $$" >> overlaps
fi
echo "$$ $(started $$)" > busy
echo "$(($(cat count 2> /dev/null || echo 0) + 1))" > count
rm -f busy
echo worked
`;

interface Strike {
  readonly afterLines: number;
  readonly thenMs: number;
}

/** Runs one storm and records the results. */
class Weather {
  readonly #folder: string;
  readonly #acknowledged = new Acknowledged();
  readonly #killedAfter: Record<string, number> = {};
  readonly #violations: string[] = [];
  #refusedOwners = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts ralphd, reads its output, and kills it after some lines and a delay. */
  async strike(args: readonly string[], { afterLines, thenMs }: Strike, random: Random) {
    const child = startRalphd(this.#folder, args);
    let after = 'nothing';
    let loopId: string | undefined;
    let lines = 0;
    for await (const line of linesOf(child)) {
      const printed = this.#acknowledged.take(line);
      after = printed.type;
      loopId ??= printed.loopId;
      lines += 1;
      // Not once the kill is scheduled: after it, another process may own the loop.
      const isUndisturbed = lines === 2 && afterLines > 0;
      if (isUndisturbed && loopId !== undefined && random.chance(0.25)) await this.#tryToSteal(loopId);
      if (lines <= afterLines) continue;
      setTimeout(() => child.kill('SIGKILL'), thenMs);
    }
    await ended(child);
    this.#killedAfter[after] = (this.#killedAfter[after] ?? 0) + 1;
    return { loopId, after };
  }

  /** The loop must be readable after a kill. */
  async look(loopId: string): Promise<void> {
    const { stdout, code } = await callRalphd(this.#folder, ['status', loopId, '--json']);
    if (code !== 0) this.#violations.push(`the loop cannot be loaded: ${stdout}`);
  }

  /** After the storm, the loop must complete. */
  async finish(loopId: string): Promise<void> {
    const child = startRalphd(this.#folder, ['resume', loopId, '--json']);
    let last: Printed = { type: 'nothing' };
    for await (const line of linesOf(child)) last = this.#acknowledged.take(line);
    const code = await ended(child);
    if (code !== 0) this.#violations.push(`the last resume ended with ${code}: ${JSON.stringify(last)}`);
  }

  /** Every printed fact must be in the journal; no two agents may have run at the same time. */
  async compare(loopId: string): Promise<void> {
    this.#violations.push(...this.#acknowledged.lostFrom(readWholeJournal(this.#folder, loopId)));
    const overlaps = await readFile(path.join(this.#folder, 'overlaps'), 'utf8').catch(() => '');
    if (overlaps !== '') this.#violations.push(`two agents at once: ${overlaps.trim()}`);
  }

  report(kills: number): StormReport {
    return {
      kills,
      acknowledged: this.#acknowledged.count,
      killedAfter: this.#killedAfter,
      refusedOwners: this.#refusedOwners,
      violations: this.#violations,
    };
  }

  /** A second owner must be refused while the first one is alive. */
  async #tryToSteal(loopId: string): Promise<void> {
    const { code, stdout } = await callRalphd(this.#folder, ['resume', loopId, '--json']);
    if (code === 6) this.#refusedOwners += 1;
    else this.#violations.push(`a second owner was not refused but ended with ${code}: ${stdout}`);
  }
}
