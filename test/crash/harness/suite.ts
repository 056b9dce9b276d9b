import { createMemoryLock } from '../../../src/store/testing/memory-lock.ts';
import { createRandom, mix } from '../../simulation/random.ts';
import type { Image } from '../disk/image.ts';
import { createTape, type Trace } from '../disk/trace.ts';
import { type ModelName, modelNames } from '../model/models.ts';
import type { Outcome } from '../oracle/probe.ts';
import { anew, realSubject, type Subject, subjectFor } from '../oracle/subject.ts';
import type { Truth } from '../oracle/truth.ts';
import { fold, openOrCreate, storeOn } from '../oracle/world.ts';
import { randomLife } from '../scenarios/random-life.ts';
import { played, type Scenario, scenarios } from '../scenarios/scenarios.ts';
import { type CrashRun, type MetImage, runCrashes, type Violation } from './crash-run.ts';

/** One row of the table: where the crash happened, under which model. */
export interface SuiteRow {
  readonly scenario: string;
  readonly where: 'in the run' | 'in the recovery';
  readonly model: ModelName;
  states: number;
  images: number;
  readonly violations: Finding[];
}

/** A violation with the trace in which it was found. */
export interface Finding extends Violation {
  readonly scenario: string;
  readonly trace: Trace;
}

/** How much to try. */
export interface SuiteOptions {
  readonly subject?: Subject;
  readonly seed: number;
  /** The approximate number of states in total. */
  readonly states: number;
  /** Only the scenario with this name. */
  readonly only?: string;
}

/** The caps of the search for planted bugs, which suffice to detect every one of them. */
export const quickCaps: Caps = { ordered: 40, 'ext4-like': 40, weak: 60 };

// Listed scenarios get high caps, random lives low ones.
const caps = {
  listed: { ordered: 1000, 'ext4-like': 1000, weak: 10_000 },
  quick: { ordered: 8, 'ext4-like': 8, weak: 12 },
  // Low, because the mirror is never synced and multiplies the possible images.
  guarded: { ordered: 60, 'ext4-like': 20, weak: 30 },
  quickGuarded: { ordered: 3, 'ext4-like': 1, weak: 2 },
  life: { ordered: 20, 'ext4-like': 50, weak: 100 },
  recovery: { ordered: 5, 'ext4-like': 20, weak: 40 },
} as const satisfies Record<string, Caps>;

type Caps = Readonly<Record<ModelName, number>>;

const livesTogether = 'lives that chance wrote';

/**
 * Crashes every scenario at every operation, then crashes recoveries and random lives until there are enough states.
 */
export function runSuite(options: SuiteOptions): readonly SuiteRow[] {
  const { only, seed } = options;
  const table = new Table(options);
  const listed =
    only === undefined ? scenarios : [...scenarios, ...namedLife(only)].filter(({ name }) => name === only);
  const subjects = listed.map((scenario, index) => new Case(table, scenario, mix(seed, index)));
  const isQuick = options.states < 200_000;
  for (const one of subjects) one.crashRun(isQuick);
  const left = Math.max(0, options.states - table.states);
  for (const one of subjects) one.crashRecoveries((left * 0.6) / subjects.length);
  for (let life = 1; only === undefined && table.states < options.states; life += 1) {
    const one = new Case(table, randomLife(mix(seed, life)), mix(seed, life, 7), livesTogether);
    one.crash(caps.life);
    one.crashRecoveries(400);
  }
  return table.rows;
}

function namedLife(name: string): readonly Scenario[] {
  const number = /^life (\d+)$/.exec(name)?.[1];
  return number === undefined ? [] : [randomLife(Number(number))];
}

class Table {
  readonly rows: SuiteRow[] = [];
  readonly subject: Subject;

  constructor(options: SuiteOptions) {
    this.subject = options.subject ?? realSubject;
  }

  get states(): number {
    return this.rows.reduce((sum, row) => sum + row.states, 0);
  }

  row(scenario: string, where: SuiteRow['where'], model: ModelName): SuiteRow {
    const found = this.rows.find((row) => row.scenario === scenario && row.where === where && row.model === model);
    if (found) return found;
    const made: SuiteRow = { scenario, where, model, states: 0, images: 0, violations: [] };
    this.rows.push(made);
    return made;
  }
}

/** One scenario in the suite. */
class Case {
  readonly #table: Table;
  readonly #scenario: Scenario;
  readonly #subject: Subject;
  readonly #seed: number;
  readonly #title: string;
  readonly #known = new Map<number, Outcome>();
  readonly #counted = new Set<number>();
  readonly #met: { readonly image: Image; readonly truth: Truth; readonly problems: readonly string[] }[] = [];

  constructor(table: Table, scenario: Scenario, seed: number, title = scenario.name) {
    this.#table = table;
    this.#scenario = scenario;
    this.#subject = subjectFor(scenario, table.subject);
    this.#seed = seed;
    this.#title = title;
  }

  /** First order: crashes the scenario itself at every operation. */
  crashRun(isQuick: boolean): void {
    const { isGuarded } = this.#scenario;
    if (isGuarded) this.crash(isQuick ? caps.quickGuarded : caps.guarded);
    else this.crash(isQuick ? caps.quick : caps.listed);
  }

  /** Crashes after each operation into at most `caps` images. */
  crash(caps: Caps): void {
    const { trace } = played(this.#scenario, this.#subject).tape;
    const onImage = ({ image, truth, outcome: { problems } }: MetImage) =>
      void this.#met.push({ image: image(), truth, problems });
    this.#crash(trace, { where: 'in the run', caps, onImage });
  }

  /** Second order: crashes during the recovery of images left by crashes, in random order. */
  crashRecoveries(budget: number): void {
    const random = createRandom(mix(this.#seed, 0x2dd));
    let states = 0;
    while (states < budget && this.#met.length > 0) {
      const [picked] = this.#met.splice(random.int(0, this.#met.length - 1), 1);
      if (!picked) return;
      const trace = recoveryOf(this.#subject, picked);
      states += this.#crash(trace, { where: 'in the recovery', caps: caps.recovery, allows: picked.problems });
    }
  }

  #crash(
    trace: Trace,
    how: Pick<SuiteRow, 'where'> & Pick<CrashRun, 'onImage' | 'allows'> & { readonly caps: Caps },
  ): number {
    const subject = this.#subject;
    const allows = [...(this.#scenario.allows ?? []), ...(how.allows ?? [])];
    let states = 0;
    for (const model of modelNames) {
      const run = {
        subject,
        trace,
        model,
        seed: this.#seed,
        cap: how.caps[model],
        known: this.#known,
        counted: this.#counted,
        allows,
      };
      const tally = runCrashes({ ...run, ...(how.onImage && { onImage: how.onImage }) });
      const row = this.#table.row(this.#title, how.where, model);
      row.states += tally.states;
      row.images += tally.images;
      const { name } = this.#scenario;
      row.violations.push(...tally.violations.map((violation) => ({ ...violation, scenario: name, trace })));
      states += tally.states;
    }
    return states;
  }
}

/** The operations of opening a loop on an image; once it returns, what it shows counts as acknowledged. */
export function recoveryOf(
  subject: Subject,
  { image, truth }: { readonly image: Image; readonly truth: Truth },
): Trace {
  const tape = createTape(image, { ...truth, exposed: 'no' });
  // Not the bytes of the life that left the image: a process that starts draws others.
  const store = storeOn(anew(subject, 'recovering'), { files: tape.files, lock: createMemoryLock() });
  const loop = openOrCreate(store, truth.exists);
  const numbers = fold(loop.recovered);
  tape.tell((before) => ({ ...before, exists: true, acknowledged: numbers, possible: [] }));
  return tape.trace;
}
