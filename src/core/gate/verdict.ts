import type { Ending, LoopConfig, ProofLevel, Verdict } from '../../protocol/index.ts';
import type { TestReport } from '../reports/report.ts';

/** Everything that one run of a check showed. */
export interface CheckEvidence {
  readonly ending: Exclude<Ending, { readonly kind: 'lost' }>;
  /** A shell ran it: then some exit codes are the shell's own. */
  readonly inShell: boolean;
  /** What its test runner counted, where one was recognised. */
  readonly report?: Pick<TestReport, 'passed' | 'failed'> | undefined;
  /** `make` took its target for a file that is up to date. */
  readonly madeNothing?: boolean;
}

const shellNotExecutable = 126;
const shellNotFound = 127;

/**
 * What one check comes to. A failing exit code always stands. An exit code of 0 stands only where nothing that the
 * check printed contradicts it, and where something was tested at all.
 */
export function checkVerdict({ ending, inShell, report, madeNothing = false }: CheckEvidence): Verdict {
  switch (ending.kind) {
    case 'exited':
      if (ending.code !== 0) return failureOf(ending.code, inShell);
      if (report !== undefined && report.failed > 0) return 'contradicted';
      return madeNothing || report?.passed === 0 ? 'unverifiable' : 'passed';
    case 'stopped':
      return 'timed_out';
    case 'not_started':
      return ending.code === 'EACCES' ? 'not_executable' : 'not_found';
    case 'signalled':
      return 'failed';
  }
}

function failureOf(code: number, inShell: boolean): Verdict {
  if (inShell && code === shellNotFound) return 'not_found';
  return inShell && code === shellNotExecutable ? 'not_executable' : 'failed';
}

/** What of a gate decides what it is worth. */
export interface RanGate {
  readonly verdict: Verdict;
  readonly tampered?: readonly string[] | undefined;
  /** How many files differ from when the loop began; unknown when missing. */
  readonly changedFiles?: number | undefined;
  readonly tests?: Ran | undefined;
  readonly proof?: ProofLevel | undefined;
  readonly editedTests?: readonly string[] | undefined;
  readonly doubts?: readonly string[] | undefined;
}

interface Ran {
  readonly framework?: string;
  readonly total: number;
  readonly skipped: number;
}

/** Runners that count their tests only where some of them fail. */
const quietWhenGreen = /\b(?:gradle|go)\b/;

/** What a gate is judged by besides what it showed. */
export interface GateContext {
  readonly config: Pick<LoopConfig, 'trustPromise'>;
  readonly baseline?: { readonly tests?: Ran } | undefined;
}

/**
 * What a gate comes to. Checks that are no longer the user's own prove nothing, whatever they say; and where nothing
 * has changed since the loop began, there is no work that they could prove.
 */
export function verdictOf(gate: RanGate, context: GateContext): Verdict {
  const { verdict, tampered = [], changedFiles } = gate;
  if (tampered.length > 0) return 'unverifiable';
  if (verdict === 'passed' && (isSilent(gate, context) || lostTests(gate, context))) return 'unverifiable';
  return verdict === 'passed' && changedFiles === 0 && !context.config.trustPromise ? 'unchanged' : verdict;
}

/**
 * Whether sealed checks ran fewer tests than before the first iteration although neither the tests nor their settings
 * changed: then the work itself ended the run.
 */
export function lostTests(gate: Omit<RanGate, 'verdict'>, { baseline }: Pick<GateContext, 'baseline'>): boolean {
  const { tests, proof, editedTests, doubts = [] } = gate;
  if (proof !== 'sealed' || tests === undefined || baseline?.tests === undefined) return false;
  if (editedTests === undefined || editedTests.length + doubts.length > 0) return false;
  return tests.total - tests.skipped < baseline.tests.total - baseline.tests.skipped;
}

/**
 * Whether tests were counted before the first iteration and none now. A program that ends the test run from inside
 * exits with 0 and leaves no summary.
 */
export function isSilent({ tests }: Pick<RanGate, 'tests'>, { baseline }: Pick<GateContext, 'baseline'>): boolean {
  const before = baseline?.tests;
  if (before === undefined || before.total === 0 || tests !== undefined) return false;
  return !quietWhenGreen.test(before.framework ?? '');
}
