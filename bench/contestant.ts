/** A loop runner in a comparison: `bench/contestants/NAME.ts` exports one as `contestant`. */
export interface Contestant {
  readonly name: string;
  /** Lays out an empty folder, and returns the command that runs the agent this often, one after the other, without delays. */
  readonly prepare: (race: Race) => readonly [string, ...string[]];
}

/** What a contestant is given. */
export interface Race {
  /** Its folder, empty; the command runs there. */
  readonly folder: string;
  /** The agent's command: it reads nothing, changes nothing and prints nothing. */
  readonly agent: readonly [string, ...string[]];
  readonly iterations: number;
}

/** An agent that notes when it began and ended in the file, by a clock that needs no process (bash 5). */
export function notingAgent(file: string, ms: number): readonly [string, ...string[]] {
  const note = (word: string) => `echo ${word} $EPOCHREALTIME >> '${file}'`;
  return ['bash', '-c', `${note('began')}; sleep ${ms / 1_000}; ${note('ended')}`];
}

/** A gap between two runs of the noting agent, in milliseconds on the wall clock. */
export interface NotedGap {
  readonly from: number;
  readonly to: number;
}

/** The gaps that the agents noted. */
export function gapsIn(log: string): readonly NotedGap[] {
  const moments = log.split('\n').flatMap((line) => {
    const [word, at] = line.split(' ');
    return at === undefined ? [] : [{ word, at: 1_000 * Number(at) }];
  });
  return moments.flatMap(({ word, at }, index) => {
    const next = moments[index + 1];
    return word === 'ended' && next !== undefined ? [{ from: at, to: next.at }] : [];
  });
}
