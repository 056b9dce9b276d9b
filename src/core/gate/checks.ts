import type { CheckCommand } from '../../protocol/index.ts';
import type { CriterionReading } from '../state/gate.ts';
import { type Criterion, readCriterion } from './criteria.ts';
import { plainCommands } from './parse-check.ts';

/** The project's own test command. */
export interface FoundTest {
  readonly command: string;
  /** Beginnings of command lines that run the same tests, or some of them. */
  readonly stems: readonly string[];
  /** Whether the project has any test yet. */
  readonly hasTests: boolean;
}

export interface GateRequest {
  readonly verify: readonly CheckCommand[];
  readonly autoTest: boolean;
  readonly trustPromise: boolean;
  readonly found?: FoundTest | undefined;
  readonly isProgram: (word: string) => boolean;
}

/** The commands of a gate, or the first criterion that is not a command. */
type GateChecks =
  | {
      readonly ok: true;
      readonly checks: readonly CheckCommand[];
      readonly readings: readonly CriterionReading[];
      /** The project's test command, where `autoTest` added it. */
      readonly added?: string;
    }
  | { readonly ok: false; readonly criterion: string; readonly reason: (Criterion & { kind: 'prose' })['reason'] };

/** Derives the commands of a gate from the settings and the project. */
export function gateChecks(request: GateRequest): GateChecks {
  const { verify, found, isProgram } = request;
  const checks: CheckCommand[] = [];
  const readings: CriterionReading[] = [];
  for (const criterion of verify) {
    if (typeof criterion !== 'string') {
      checks.push(criterion);
      continue;
    }
    const read = readCriterion(criterion, { isProgram, testCommand: found?.command });
    if (read.kind === 'prose') return { ok: false, criterion, reason: read.reason };
    if (read.kind === 'phrase') readings.push({ said: criterion, commands: read.commands });
    checks.push(...(read.kind === 'phrase' ? read.commands : [criterion]));
  }
  const unique = checks.filter((check, index) => checks.findIndex((other) => isSame(other, check)) === index);
  const added = addedTest(unique, request);
  return {
    ok: true,
    checks: added === undefined ? unique : [...unique, added],
    readings,
    ...(added === undefined ? {} : { added }),
  };
}

// A project without any test cannot pass its own test command: then it is added only where there is no other check.
function addedTest(
  checks: readonly CheckCommand[],
  { found, autoTest, trustPromise }: GateRequest,
): string | undefined {
  if (found === undefined || !autoTest || checks.some((check) => runsTests(check, found.stems))) return undefined;
  return found.hasTests || (checks.length === 0 && !trustPromise) ? found.command : undefined;
}

/** Whether a line contains the test command, possibly with further arguments. */
function runsTests(check: CheckCommand, stems: readonly string[]): boolean {
  const commands = plainCommands(check).map((words) => words.join(' '));
  return commands.some((command) => stems.some((stem) => command === stem || command.startsWith(`${stem} `)));
}

function isSame(one: CheckCommand, other: CheckCommand): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
