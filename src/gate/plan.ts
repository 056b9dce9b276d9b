import { failures, LoopError } from '../base/index.ts';
import { checkProblem, gateChecks } from '../core/index.ts';
import { findExecutable } from '../process/index.ts';
import { type CheckCommand, type FactData, type LoopConfig, protectionOf } from '../protocol/index.ts';
import { systemBash } from './check-shell.ts';
import { findTestCommand, whyNoTestCommand } from './found-test/find.ts';
import type { TestCommand } from './found-test/test-command.ts';
import { guardsOf } from './guards/plan-guards.ts';
import type { GatePlace } from './guards/settings.ts';
import { findMaskedLines, type MaskedLine } from './masked-lines.ts';

/** The checks of a loop as its first fact records them, and warnings about them for the user. */
export interface GatePlan {
  readonly data: Pick<FactData<'loop.started'>, 'checks' | 'foundTest' | 'guards' | 'masked' | 'readings'>;
  readonly warnings: readonly string[];
}

/**
 * Decides the commands of a gate. Refuses a criterion that is not a command, a check that can pass although its test
 * fails, and a loop without any check.
 */
export function planGate(config: LoopConfig, place: GatePlace): GatePlan {
  const { workingDirectory, env } = place;
  const { verify, autoTest, trustPromise, completionPromise, stopConditions } = config;
  const isProgram = (word: string) =>
    findExecutable(word, { PATH: env['PATH'] ?? '', cwd: workingDirectory }) !== undefined;
  const here = findTestCommand(workingDirectory);
  const found = here !== undefined && isProgram(here.program) ? here : undefined;
  const plan = gateChecks({ verify, autoTest, trustPromise, found, isProgram });
  if (!plan.ok) throw new LoopError(failures.criterionNotACommand(plan.criterion, plan.reason));
  assertCanFail(plan.checks);
  const missing = autoTest && found === undefined ? here : undefined;
  // Completion needs proof unless the user trusts the promise; without a claim to trust there must be a check.
  const hasClaim = completionPromise !== null || stopConditions.success.length > 0;
  if (plan.checks.length === 0 && (!trustPromise || !hasClaim)) {
    throw new LoopError(failures.nothingToVerify(whyNoTests(missing, workingDirectory)));
  }
  const { left, ...guarded } = guardsOf(config, plan.checks, place);
  const masked = findMaskedLines(plan.checks, workingDirectory);
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
      ...(missing === undefined ? [] : [missingProgramWarning(missing)]),
      ...(left === 0 ? [] : [unwatchedWarning(left)]),
      ...masked.map(maskedWarning),
      ...(cannotReportTests(config) ? [unreportedTestsWarning] : []),
    ],
  };
}

function whyNoTests(missing: TestCommand | undefined, workingDirectory: string): string | undefined {
  if (missing === undefined) return whyNoTestCommand(workingDirectory);
  return `the test command "${missing.command}" cannot run because "${missing.program}" is not installed`;
}

function assertCanFail(checks: readonly CheckCommand[]): void {
  for (const check of checks) {
    const problem = checkProblem(check, systemBash() !== undefined);
    if (problem !== undefined) {
      throw new LoopError(failures.checkCannotFail(problem.line, problem.reason, problem.corrected));
    }
  }
}

function maskedWarning({ from, test, reason, corrected }: MaskedLine): string {
  return `${from} hides the exit code of "${test}": ${reason}. Write it as: ${corrected}`;
}

function missingProgramWarning({ command, from, program }: TestCommand): string {
  return `According to ${from}, "${command}" runs the tests, but "${program}" is not installed: the checks do not include the tests.`;
}

function unwatchedWarning(left: number): string {
  return `The checks depend on more files than ralphd watches: changes to ${left} of them go unnoticed.`;
}

/** Changed tests are found by tracking file changes; strict protection restores them without that. */
function cannotReportTests({ iteration, protect }: LoopConfig): boolean {
  return !iteration.trackFileChanges && protectionOf(protect).mode !== 'strict';
}

const unreportedTestsWarning =
  'With "trackFileChanges: false", ralphd cannot report tests that the agent changes. "protect: strict" runs the checks with the original tests.';
