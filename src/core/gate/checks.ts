import type { CheckCommand } from '../../protocol/index.ts';
import { plainCommands } from './check-words.ts';
import { type Criterion, readCriterion } from './criteria.ts';

/** The project's own test command, as far as the gate has to know it. */
export interface FoundTest {
  readonly command: string;
  /** How people begin a line that runs the same tests, or some of them. */
  readonly stems: readonly string[];
  /** Whether there is any test yet. */
  readonly hasTests: boolean;
}

/** What the gate of a new loop is made from. */
export interface GateWish {
  readonly verify: readonly CheckCommand[];
  readonly autoTest: boolean;
  readonly trustPromise: boolean;
  readonly found?: FoundTest | undefined;
  readonly isProgram: (word: string) => boolean;
}

/** A criterion that was a sentence, and the commands it was taken for. */
export interface CriterionReading {
  readonly said: string;
  readonly commands: readonly string[];
}

/** The commands of a gate, or the first criterion that is none. */
export type GateChecks =
  | {
      readonly ok: true;
      readonly checks: readonly CheckCommand[];
      readonly readings: readonly CriterionReading[];
      /** The test command, where it was added without anybody asking for it. */
      readonly added?: string;
    }
  | { readonly ok: false; readonly said: string; readonly why: (Criterion & { kind: 'prose' })['why'] };

/** Makes the commands of a gate out of what the user gave and what the project has. */
export function gateChecks(wish: GateWish): GateChecks {
  const { verify, found, isProgram } = wish;
  const checks: CheckCommand[] = [];
  const readings: CriterionReading[] = [];
  for (const criterion of verify) {
    if (typeof criterion !== 'string') {
      checks.push(criterion);
      continue;
    }
    const read = readCriterion(criterion, { isProgram, testCommand: found?.command });
    if (read.kind === 'prose') return { ok: false, said: criterion, why: read.why };
    if (read.kind === 'phrase') readings.push({ said: criterion, commands: read.commands });
    checks.push(...(read.kind === 'phrase' ? read.commands : [criterion]));
  }
  const unique = checks.filter((check, index) => checks.findIndex((other) => isSame(other, check)) === index);
  const added = addedTest(unique, wish);
  return {
    ok: true,
    checks: added === undefined ? unique : [...unique, added],
    readings,
    ...(added === undefined ? {} : { added }),
  };
}

/** A project without any test can't pass its own test command: then it is asked only where nothing else would be. */
function addedTest(checks: readonly CheckCommand[], { found, autoTest, trustPromise }: GateWish): string | undefined {
  if (found === undefined || !autoTest || checks.some((check) => runsTests(check, found.stems))) return undefined;
  return found.hasTests || (checks.length === 0 && !trustPromise) ? found.command : undefined;
}

/** Whether one of the commands of a line is the test command, or the test command with arguments of its own. */
function runsTests(check: CheckCommand, stems: readonly string[]): boolean {
  const commands = plainCommands(check).map((words) => words.join(' '));
  return commands.some((command) => stems.some((stem) => command === stem || command.startsWith(`${stem} `)));
}

function isSame(one: CheckCommand, other: CheckCommand): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
