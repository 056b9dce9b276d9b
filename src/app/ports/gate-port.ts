import { failingTests, scriptsIn, type TestReport } from '../../core/index.ts';
import { endByMarker } from '../../process/index.ts';
import type { CheckCommand, LoopConfig, TestCounts } from '../../protocol/index.ts';
import type { GatePort, GateRun, GateTask } from '../../runner/index.ts';
import { changedGuards } from '../../workspace/index.ts';
import { type CheckRun, lineOf, runCheck, withNote } from './check-run.ts';

const mostNames = 200;

/** Where the checks run and how long they may take. */
export interface GateSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
}

/** Runs every check of the gate in order, whatever the one before it said: the agent shall hear of all of them. */
export function createGatePort(setting: GateSetting): GatePort {
  const marker = `${setting.uuid}:gate`;
  return {
    async run(task, signals) {
      if (task.isAgain) await endByMarker(marker);
      const changed = () => changedGuards(setting.workingDirectory, task.guards, scriptsIn);
      const runs = await runAll(task, changed, (command) => runCheck(command, { ...setting, marker }, signals));
      return runs === undefined ? undefined : summarise(runs, changed());
    },
  };
}

type Runs = readonly CheckRun[] | undefined;

/** What judges must not be judged by what it judges: a check whose files were changed is not even run. */
async function runAll(
  { checks, purpose }: GateTask,
  changed: () => readonly string[],
  run: (command: CheckCommand) => Promise<CheckRun | undefined>,
): Promise<Runs> {
  const runs: CheckRun[] = [];
  for (const command of checks) {
    const tampered = purpose === 'gate' ? changed() : [];
    const one = tampered.length === 0 ? await run(command) : notRun(command, tampered);
    if (one === undefined) return undefined;
    runs.push(one);
  }
  const tampered = purpose === 'gate' ? changed() : [];
  return tampered.length === 0 ? runs : runs.map((one) => distrusted(one, tampered));
}

function notRun(command: CheckCommand, tampered: readonly string[]): CheckRun {
  const output = withNote('', `Not run. ${told(tampered)}`);
  return { check: { command: lineOf(command), verdict: 'unverifiable', durationMs: 0, output } };
}

/** A check that passed while one of the gate's files was being changed proves nothing either. */
function distrusted({ check, report }: CheckRun, tampered: readonly string[]): CheckRun {
  if (check.verdict !== 'passed') return { check, report };
  return { check: { ...check, verdict: 'unverifiable', output: withNote(check.output, told(tampered)) }, report };
}

function told(tampered: readonly string[]): string {
  return `Changed since the loop started, so that nothing is proven: ${tampered.join(', ')}`;
}

function summarise(runs: readonly CheckRun[], tampered: readonly string[]): GateRun {
  const checks = runs.map(({ check }) => check);
  const refused = checks.find(({ verdict }) => verdict !== 'passed');
  const verdict = checks.length === 0 ? 'unverifiable' : (refused?.verdict ?? 'passed');
  const reports = runs.map(({ report }) => report).filter((report) => report !== undefined);
  const durationMs = checks.reduce((sum, check) => sum + check.durationMs, 0);
  return {
    verdict,
    checks,
    ...(reports.length === 0 ? {} : { tests: sumUp(reports) }),
    ...(tampered.length === 0 ? {} : { tampered }),
    durationMs,
  };
}

function sumUp(reports: readonly TestReport[]): TestCounts {
  const sumOf = (count: 'total' | 'passed' | 'failed' | 'skipped') =>
    reports.reduce((sum, report) => sum + report[count], 0);
  const passing = reports.flatMap(({ details }) => details.filter(({ status }) => status === 'passed'));
  return {
    framework: [...new Set(reports.map(({ framework }) => framework))].join(', '),
    total: sumOf('total'),
    passed: sumOf('passed'),
    failed: sumOf('failed'),
    skipped: sumOf('skipped'),
    failing: reports.flatMap(failingTests).slice(0, mostNames),
    passing: passing.map(({ name }) => name).slice(0, mostNames),
  };
}
