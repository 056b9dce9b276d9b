import { boundText } from '../base/index.ts';
import {
  allTestsPassed,
  checkVerdict,
  failingTests,
  readMeasures,
  readTestReport,
  type TestReport,
} from '../core/index.ts';
import { runToEnd } from '../process/index.ts';
import type { Check, CheckCommand, Measure, Verdict } from '../protocol/index.ts';
import { brokenPipeNote, shellCommand } from './check-shell.ts';
import type { CheckSetting, EffectSignals } from './setting.ts';

const readOutputBytes = 1024 * 1024;
const longestOutput = 4_000;
const longestNote = 1_500;
const mostTold = 20;
/** What make says, content, where a file or folder has the name of the target. */
const madeNothing = /^g?make: [`']tests?' is up to date\.$/m;
const madeNothingNote =
  'no test ran: make takes its target for a file that is there; ".PHONY: test" says that it is none';

const countingNote =
  'If these counts are not of the project\'s own tests, "iteration.parseTests: false" turns counting off.';

/** One check, what its tests reported, and the numbers that it printed. */
export interface CheckRun {
  readonly check: Check;
  readonly report?: TestReport | undefined;
  readonly measures?: readonly Measure[];
}

/** Runs one check to its end; `undefined` when it was broken off. */
export async function runCheck(
  command: CheckCommand,
  setting: CheckSetting,
  { signal, kill }: EffectSignals,
): Promise<CheckRun | undefined> {
  const { config, workingDirectory, env, marker, enclose } = setting;
  const metrics = config.progress.metrics.filter(({ file }) => file === undefined);
  const run = await runToEnd({
    command: enclose?.(shellCommand(command)) ?? shellCommand(command),
    cwd: workingDirectory,
    env,
    marker,
    timeoutMs: config.verifyTimeout,
    graceMs: config.iteration.killGrace,
    maxOutputBytes: config.iteration.parseTests || metrics.length > 0 ? readOutputBytes : undefined,
    signal,
    killSignal: kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  const report = config.iteration.parseTests ? readTestReport(run.output) : undefined;
  const hasMadeNothing = report === undefined && madeNothing.test(run.output);
  const inShell = typeof command === 'string' || enclose !== undefined;
  const verdict = checkVerdict({ ending: run.ending, inShell, report, madeNothing: hasMadeNothing });
  const check = {
    command: lineOf(command),
    verdict,
    ...(run.ending.kind === 'exited' ? { exitCode: run.ending.code } : {}),
    durationMs: Math.round(run.durationMs),
    output: withNote(
      run.output,
      verdict === 'passed'
        ? ''
        : hasMadeNothing
          ? madeNothingNote
          : noteOf(verdict, report) || brokenPipeNote(command, run.ending),
    ),
    outputDigest: run.outputDigest,
  };
  const wish = { check: check.command, known: config.iteration.parseTests, metrics };
  // What broke off has counted only a part.
  return { check, report, measures: run.ending.kind === 'exited' ? readMeasures(run.output, wish) : [] };
}

/** What the agent has to know of the tests, even where the middle of the output is left out. */
function noteOf(verdict: Verdict, report: TestReport | undefined): string {
  if (report === undefined) return '';
  const { framework, total, failed, skipped } = report;
  if (total === skipped) {
    return total === 0 ? `no test ran (${framework})` : `no test ran: ${total} skipped (${framework})`;
  }
  if (allTestsPassed(report)) return '';
  const names = failingTests(report);
  const told = names.slice(0, mostTold).map((name) => `- ${name}`);
  const rest = names.length > mostTold ? ['- …'] : [];
  const counted = `${failed} of ${total} tests failed (${framework})`;
  const first = verdict === 'contradicted' ? `It exits with 0, but ${counted}. ${countingNote}` : counted;
  return boundText([first, ...told, ...rest].join('\n'), longestNote);
}

/** A command on one line, as facts name it. */
export function lineOf(command: CheckCommand): string {
  return typeof command === 'string' ? command : command.join(' ');
}

/** An output with a note behind it that is never cut. */
export function withNote(output: string, note: string): string {
  if (note === '') return boundText(output, longestOutput);
  const shown = boundText(output, longestOutput - note.length - 2);
  return `${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}${note}\n`;
}
