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
const maxOutputLength = 4_000;
const maxNoteLength = 1_500;
const maxListedTests = 20;
/** The output of make where a file or folder has the name of the target. */
const madeNothing = /^g?make: [`']tests?' is up to date\.$/m;
const madeNothingNote =
  'no test ran: make considers its target up to date, because a file of that name exists; declare the target with ".PHONY: test"';

const countingNote = 'If these are not the project\'s own tests, turn counting off with "iteration.parseTests: false".';

/** The result of one check, its test report, and the measures that it printed. */
export interface CheckRun {
  readonly check: Check;
  readonly report?: TestReport | undefined;
  readonly measures?: readonly Measure[];
}

/** Runs one check to its end; `undefined` when it was interrupted. */
export async function runCheck(
  command: CheckCommand,
  setting: CheckSetting,
  { signal, kill }: EffectSignals,
): Promise<CheckRun | undefined> {
  const { config, workingDirectory, env, marker, enclose } = setting;
  const metrics = config.progress.metrics.filter(({ file }) => file === undefined);
  const plain = { command: shellCommand(command), env };
  const run = await runToEnd({
    ...(enclose?.(plain) ?? plain),
    cwd: workingDirectory,
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
  const request = { check: check.command, known: config.iteration.parseTests, metrics };
  // A run that did not end by itself has counted only a part.
  return { check, report, measures: run.ending.kind === 'exited' ? readMeasures(run.output, request) : [] };
}

/** What the agent must know about the tests, even where the middle of the output is cut. */
function noteOf(verdict: Verdict, report: TestReport | undefined): string {
  if (report === undefined) return '';
  const { framework, total, failed, skipped } = report;
  if (total === skipped) {
    return total === 0 ? `no test ran (${framework})` : `no test ran: ${total} skipped (${framework})`;
  }
  if (allTestsPassed(report)) return '';
  const names = failingTests(report);
  const listed = names.slice(0, maxListedTests).map((name) => `- ${name}`);
  const rest = names.length > maxListedTests ? ['- …'] : [];
  const counted = `${failed} of ${total} tests failed (${framework})`;
  const first = verdict === 'contradicted' ? `It exits with 0, but ${counted}. ${countingNote}` : counted;
  return boundText([first, ...listed, ...rest].join('\n'), maxNoteLength);
}

/** A command as one line, as facts name it. */
export function lineOf(command: CheckCommand): string {
  return typeof command === 'string' ? command : command.join(' ');
}

/** Appends a note that is never cut to an output that may be. */
export function withNote(output: string, note: string): string {
  if (note === '') return boundText(output, maxOutputLength);
  const shown = boundText(output, maxOutputLength - note.length - 2);
  return `${shown}${shown === '' || shown.endsWith('\n') ? '' : '\n'}${note}\n`;
}
