import type { Planting } from '../support/plant-in.ts';

/** A bug in a file under `src/runner`. */
export interface RunnerMutant extends Planting {
  /** The loop that is tried first; an outdated number only makes the search longer. */
  readonly loop?: number;
}

/** Plausible bugs; the simulation must detect all of them. */
export const runnerMutants: readonly RunnerMutant[] = [
  {
    bug: 'a command is answered before its answer is written',
    file: 'drive.ts',
    find: 'if (!isTerminal(this.loop.status)) await this.#record(this.#recorder.redact(facts));',
    replace: 'if (!isTerminal(this.loop.status)) void this.#record(this.#recorder.redact(facts));',
  },
  {
    bug: 'a disk that fills up a second time no longer pauses the loop',
    loop: 350,
    file: 'drive.ts',
    find: '    this.#trouble = trouble;\n',
    replace: `    const latch = this as { hasBeenInTrouble?: boolean };
    if (trouble !== undefined && latch.hasBeenInTrouble) return;
    if (trouble !== undefined) latch.hasBeenInTrouble = true;
    this.#trouble = trouble;
`,
  },
  {
    bug: 'a loop that is given back is left without a word',
    file: 'drive.ts',
    find: 'await this.#enqueue(() => this.#park(wakeAt));',
    replace: '',
  },
  {
    bug: 'an abort waits for the grace of the agent',
    file: 'drive.ts',
    find: 'if (requests.end?.gracefully === false) this.#kill.abort(why);',
    replace: '',
  },
  {
    bug: 'the signal to kill does not reach the agent',
    file: 'effects.ts',
    find: '    signal,\n    kill,\n    onStarted',
    replace: '    signal,\n    kill: new AbortController().signal,\n    onStarted',
  },
  {
    bug: 'a command that comes while facts are written is decided on what was before them',
    loop: 55,
    file: 'drive.ts',
    find: `    return await this.#enqueue(async () => {
      const facts = this.#rules.accept(this.loop, command);`,
    replace: `    const facts = this.#rules.accept(this.loop, command);
    return await this.#enqueue(async () => {`,
  },
  {
    bug: 'two batches are written at once',
    loop: 51,
    file: 'drive.ts',
    find: '    this.#effect = new AbortController();\n    // The lease',
    replace: '    this.#queue = createQueue();\n    this.#effect = new AbortController();\n    // The lease',
  },
  {
    bug: 'a driver that has lost its loop goes on with what it does',
    loop: 93,
    file: 'drive.ts',
    find: `    this.#broken ??= { error };
    this.#effect.abort(interruption(cause));
    this.#kill.abort(interruption(cause));`,
    replace: '    this.#broken ??= { error };',
  },
  {
    bug: 'the snapshot is saved before its facts are written',
    file: 'recorder.ts',
    find: '      const recorded = await owned.append(redacted);\n',
    replace: `      const ahead = redacted.map((fact, index) => ({ ...fact, seq: loop.journal.seq + index + 1, at: '', epoch: loop.journal.epoch }));
      if (redacted.some(({ type }) => saved.has(type))) await owned.save(ahead.reduce(fold, loop));
      const recorded = await owned.append(redacted);
`,
  },
  {
    bug: 'listeners hear of facts before they are written',
    file: 'recorder.ts',
    find: '      const recorded = await owned.append(redacted);\n',
    replace: `      facts.publish(redacted.map((fact, index) => ({ ...fact, seq: loop.journal.seq + index + 1, at: '', epoch: 1 })));
      const recorded = await owned.append(redacted);
`,
  },
  {
    bug: 'a fact is folded twice',
    file: 'recorder.ts',
    find: 'for (const fact of part) loop = fold(loop, fact);',
    replace: 'for (const fact of part) loop = fold(fold(loop, fact), fact);',
  },
  {
    bug: 'running time is counted twice',
    file: 'drive.ts',
    find: 'if (following.some(accountsForTime)) this.#stopwatch.takeMs();',
    replace: '',
  },
  {
    bug: 'the time of a pause is counted',
    file: 'effects.ts',
    find: '      effect.takeElapsedMs();\n      return [];',
    replace: '      return [];',
  },
  {
    bug: 'the agent of a dead owner is adopted although somebody asked for a pause',
    file: 'effects.ts',
    find: 'const adopt = !breaksOff(loop()) && requests.pause === undefined;',
    replace: 'const adopt = true;',
  },
  {
    bug: 'an agent runs before it is on record',
    file: 'effects.ts',
    find: `onStarted: (process, sandbox) =>
      record([{ type: 'agent.started', data: { iteration, attempt, process, ...(sandbox && { sandbox }) } }]),`,
    replace: `onStarted: async (process) =>
      void record([{ type: 'agent.started', data: { iteration, attempt, process } }]).catch(() => {}),`,
  },
  {
    bug: 'an agent starts although somebody broke it off while its prompt was read',
    file: 'effects.ts',
    find: '  if (!(await effect.begin([]))) return [];\n',
    replace: '',
  },
  {
    bug: 'a check starts although somebody broke it off while the run was written down',
    file: 'drive.ts',
    find: 'if (signal.aborted) return false;',
    replace: '',
  },
  {
    bug: 'what a dead owner saw of the work tree is not taken up',
    file: 'effects.ts',
    find: '  await ports.workspace.restore({ iteration, attempt });\n',
    replace: '',
  },
  {
    bug: 'an agent at work is never ended at the redline',
    loop: 211,
    file: 'effects.ts',
    find: '[callAllowance(loop), redlineCut(loop)]',
    replace: '[callAllowance(loop), undefined]',
  },
  {
    bug: 'an agent that dies of a full disk is to blame',
    loop: 74,
    file: 'finished-run.ts',
    find: '    ...blamedOnDisk(loop, run),\n',
    replace: '',
  },
];
