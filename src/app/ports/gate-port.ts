import { boundText } from '../../base/index.ts';
import { allTestsPassed, failingTests, readTestReport, type TestReport } from '../../core/index.ts';
import { type FinishedRun, runToEnd } from '../../process/index.ts';
import type { Check, CheckCommand, LoopConfig, TestCounts, Verdict } from '../../protocol/index.ts';
import type { EffectSignals, GatePort, GateRun } from '../../runner/index.ts';

const readOutputBytes = 1024 * 1024;
const longestOutput = 4_000;
const longestNote = 1_500;
const mostTold = 20;
const mostNames = 200;
const shellNotFound = 127;

/** Where the checks run and how long they may take. */
export interface GateSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs every check of the gate in order, whatever the one before it said: the agent shall hear of all of them. */
export function createGatePort(setting: GateSetting): GatePort {
  return {
    async run(commands, signals) {
      const runs: CheckRun[] = [];
      for (const command of commands) {
        const run = await runCheck(command, setting, signals);
        if (run === undefined) return undefined;
        runs.push(run);
      }
      return summarise(runs);
    },
  };
}

/** One check, and what its tests reported. */
interface CheckRun {
  readonly check: Check;
  readonly report: TestReport | undefined;
}

function summarise(runs: readonly CheckRun[]): GateRun {
  const checks = runs.map(({ check }) => check);
  const refused = checks.find(({ verdict }) => verdict !== 'passed');
  const verdict = checks.length === 0 ? 'unverifiable' : (refused?.verdict ?? 'passed');
  const reports = runs.map(({ report }) => report).filter((report) => report !== undefined);
  const durationMs = checks.reduce((sum, check) => sum + check.durationMs, 0);
  return { verdict, checks, ...(reports.length === 0 ? {} : { tests: sumUp(reports) }), durationMs };
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

async function runCheck(
  command: CheckCommand,
  setting: GateSetting,
  { signal, kill }: EffectSignals,
): Promise<CheckRun | undefined> {
  const { config, workingDirectory, env } = setting;
  const run = await runToEnd({
    command,
    cwd: workingDirectory,
    env,
    timeoutMs: config.verifyTimeout,
    graceMs: config.iteration.killGrace,
    maxOutputBytes: config.iteration.parseTests ? readOutputBytes : undefined,
    signal,
    killSignal: kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  const report = config.iteration.parseTests ? readTestReport(run.output) : undefined;
  const verdict = judge(verdictOf(run, typeof command === 'string'), report);
  const check = {
    command: typeof command === 'string' ? command : command.join(' '),
    verdict,
    ...(run.ending.kind === 'exited' ? { exitCode: run.ending.code } : {}),
    durationMs: Math.round(run.durationMs),
    output: withNote(run.output, verdict === 'passed' ? '' : noteOf(report)),
  };
  return { check, report };
}

/** The exit code outranks what was printed, but for one thing: where no test ran, nothing was proven. */
function judge(verdict: Verdict, report: TestReport | undefined): Verdict {
  const ranNone = report !== undefined && report.passed + report.failed === 0;
  return verdict === 'passed' && ranNone ? 'unverifiable' : verdict;
}

/** What the agent has to know of the tests, even where the middle of the output is left out. */
function noteOf(report: TestReport | undefined): string {
  if (report === undefined) return '';
  const { framework, total, failed, skipped } = report;
  if (total === skipped) {
    return total === 0 ? `no test ran (${framework})` : `no test ran: ${total} skipped (${framework})`;
  }
  if (allTestsPassed(report)) return '';
  const names = failingTests(report);
  const told = names.slice(0, mostTold).map((name) => `- ${name}`);
  const rest = names.length > mostTold ? ['- …'] : [];
  return boundText([`${failed} of ${total} tests failed (${framework})`, ...told, ...rest].join('\n'), longestNote);
}

function withNote(output: string, note: string): string {
  if (note === '') return boundText(output, longestOutput);
  const shown = boundText(output, longestOutput - note.length - 2);
  return `${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}${note}\n`;
}

/** Not found, timed out and failed are different things: only the last says something about the work. */
function verdictOf({ ending }: FinishedRun, inShell: boolean): Verdict {
  switch (ending.kind) {
    case 'exited':
      if (ending.code === 0) return 'passed';
      return inShell && ending.code === shellNotFound ? 'not_found' : 'failed';
    case 'stopped':
      return 'timed_out';
    case 'not_started':
      return 'not_found';
    case 'signalled':
      return 'failed';
  }
}
