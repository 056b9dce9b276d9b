import { failures, LoopError } from '../base/index.ts';
import { checkProblem, gateChecks } from '../core/index.ts';
import { findExecutable } from '../process/index.ts';
import { type CheckCommand, type FactData, type LoopConfig, protectionOf } from '../protocol/index.ts';
import { systemBash } from './check-shell.ts';
import { findTestCommand } from './found-test/find.ts';
import type { TestCommand } from './found-test/test-command.ts';
import { type GatePlace, guardsOf } from './guards/plan-guards.ts';
import { type MaskedLine, maskedBehind } from './masked-lines.ts';

/** What will prove a loop's task done, as its first fact says it, and what the user should know of it. */
export interface GatePlan {
  readonly data: Pick<FactData<'loop.started'>, 'checks' | 'foundTest' | 'guards' | 'masked' | 'readings'>;
  readonly warnings: readonly string[];
}

/**
 * Fixes the commands of a gate. Refuses a criterion that is no command, a check that could pass although its test fails,
 * and a loop that nothing would prove done.
 */
export function planGate(config: LoopConfig, place: GatePlace): GatePlan {
  const { workingDirectory, env } = place;
  const { verify, autoTest, trustPromise, completionPromise, stopConditions } = config;
  const isProgram = (word: string) =>
    findExecutable(word, { PATH: env['PATH'] ?? '', cwd: workingDirectory }) !== undefined;
  const here = findTestCommand(workingDirectory);
  const found = here !== undefined && isProgram(here.program) ? here : undefined;
  const plan = gateChecks({ verify, autoTest, trustPromise, found, isProgram });
  if (!plan.ok) throw new LoopError(failures.criterionNotACommand(plan.said, plan.why));
  assertCanFail(plan.checks);
  const missing = autoTest && found === undefined ? here : undefined;
  // Completion needs proof, unless the user says otherwise; with nothing to trust there must be a check.
  const hasClaim = completionPromise !== null || stopConditions.success.length > 0;
  if (plan.checks.length === 0 && (!trustPromise || !hasClaim)) {
    throw new LoopError(failures.nothingToVerify(missing?.command, missing?.program));
  }
  const { left, ...guarded } = guardsOf(config, plan.checks, place);
  const masked = maskedBehind(plan.checks, workingDirectory);
  return {
    data: {
      checks: plan.checks.map((check) => (typeof check === 'string' ? check : [...check])),
      ...(plan.added === undefined ? {} : { foundTest: plan.added }),
      ...(plan.readings.length === 0
        ? {}
        : { readings: plan.readings.map(({ said, commands }) => ({ said, commands: [...commands] })) }),
      ...guarded,
      ...(masked.length === 0 ? {} : { masked: [...new Set(masked.map(({ from }) => from))] }),
    },
    warnings: [
      ...(missing === undefined ? [] : [withoutProgram(missing)]),
      ...(left === 0 ? [] : [tooMany(left)]),
      ...masked.map(hidden),
      ...(seesNoTests(config) ? [unseenTests] : []),
    ],
  };
}

function assertCanFail(checks: readonly CheckCommand[]): void {
  for (const check of checks) {
    const problem = checkProblem(check, systemBash() !== undefined);
    if (problem !== undefined) {
      throw new LoopError(failures.checkCannotFail(problem.line, problem.why, problem.corrected));
    }
  }
}

function hidden({ from, test, why, corrected }: MaskedLine): string {
  return `${from} hides the exit code of "${test}": ${why}. Write it as: ${corrected}`;
}

function withoutProgram({ command, from, program }: TestCommand): string {
  return `${from} says that "${command}" runs the tests, but there is no program "${program}": they are left out of the checks.`;
}

function tooMany(left: number): string {
  return `The checks depend on more files than are watched: ${left} of them may change without being noticed.`;
}

/** Without a look at the work tree nobody knows which tests an agent changes; strict protection needs no look. */
function seesNoTests({ iteration, protect }: LoopConfig): boolean {
  return !iteration.trackFileChanges && protectionOf(protect).mode === 'report';
}

const unseenTests =
  'With "trackFileChanges: false" tests that the agent changes are not named: "protect: strict" runs the checks with the tests as they were.';
