import { failures, LoopError } from '../base/index.ts';
import { gateChecks } from '../core/index.ts';
import { findExecutable } from '../process/index.ts';
import type { FactData, LoopConfig } from '../protocol/index.ts';
import { findTestCommand, type TestCommand } from '../workspace/index.ts';
import { guardsOf } from './gate-guards.ts';

/** What will prove a loop's task done, as its first fact says it, and what the user should know of it. */
export interface GatePlan {
  readonly data: Pick<FactData<'loop.started'>, 'checks' | 'foundTest' | 'guards' | 'readings'>;
  readonly warnings: readonly string[];
}

/** Where the gate will run. */
export interface GatePlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Fixes the commands of a gate. Refuses a criterion that is no command, and a loop that nothing would prove done. */
export function planGate(config: LoopConfig, { workingDirectory, env }: GatePlace): GatePlan {
  const { verify, autoTest, trustPromise, completionPromise, stopConditions } = config;
  const isProgram = (word: string) =>
    findExecutable(word, { PATH: env['PATH'] ?? '', cwd: workingDirectory }) !== undefined;
  const here = findTestCommand(workingDirectory);
  const found = here !== undefined && isProgram(here.program) ? here : undefined;
  const plan = gateChecks({ verify, autoTest, trustPromise, found, isProgram });
  if (!plan.ok) throw new LoopError(failures.criterionNotACommand(plan.said, plan.why));
  const missing = autoTest && found === undefined ? here : undefined;
  // Completion needs proof, unless the user says otherwise; with nothing to trust there must be a check.
  const hasClaim = completionPromise !== null || stopConditions.success.length > 0;
  if (plan.checks.length === 0 && (!trustPromise || !hasClaim)) {
    throw new LoopError(failures.nothingToVerify(missing?.command, missing?.program));
  }
  return {
    data: {
      checks: plan.checks.map((check) => (typeof check === 'string' ? check : [...check])),
      ...(plan.added === undefined ? {} : { foundTest: plan.added }),
      ...(plan.readings.length === 0
        ? {}
        : { readings: plan.readings.map(({ said, commands }) => ({ said, commands: [...commands] })) }),
      ...guardsOf(config, plan.checks, workingDirectory),
    },
    warnings: missing === undefined ? [] : [withoutProgram(missing)],
  };
}

function withoutProgram({ command, from, program }: TestCommand): string {
  return `${from} says that "${command}" runs the tests, but there is no program "${program}": they are left out of the checks.`;
}
