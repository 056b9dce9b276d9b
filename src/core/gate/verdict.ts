import { type Ending, type LoopConfig, type ProofLevel, protectionOf, type Verdict } from '../../protocol/index.ts';
import type { TestReport } from '../reports/report.ts';

export interface CheckEvidence {
  readonly ending: Exclude<Ending, { readonly kind: 'lost' }>;
  /** A shell ran the check: some exit codes are then the shell's own. */
  readonly inShell: boolean;
  /** The counts of its test runner, where one was recognised. */
  readonly report?: Pick<TestReport, 'passed' | 'failed'> | undefined;
  /** `make` considered its target up to date and ran nothing. */
  readonly madeNothing?: boolean;
}

const shellNotExecutable = 126;
const shellNotFound = 127;

/**
 * The verdict of one check. A failing exit code always counts. An exit code of 0 counts only where the check printed
 * nothing that contradicts it, and where something was tested at all.
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

interface GateResult {
  readonly verdict: Verdict;
  readonly tampered?: readonly string[] | undefined;
  /** How many files changed since the loop began; undefined when unknown. */
  readonly changedFiles?: number | undefined;
  readonly tests?: TestTotals | undefined;
  readonly proof?: ProofLevel | undefined;
  readonly editedTests?: readonly string[] | undefined;
  readonly doubts?: readonly string[] | undefined;
}

interface TestTotals {
  readonly framework?: string;
  readonly total: number;
  readonly skipped: number;
}

/** Runners that print counts only when tests fail. */
const countsOnlyFailures = /\b(?:gradle|go)\b/;

interface GateContext {
  readonly config: Pick<LoopConfig, 'trustPromise'>;
  readonly baseline?: { readonly tests?: TestTotals } | undefined;
}

/**
 * The verdict of a whole gate. Checks whose files were changed prove nothing, and where nothing has changed since the
 * loop began, there is no work to prove.
 */
export function verdictOf(gate: GateResult, context: GateContext): Verdict {
  const { verdict, tampered = [], changedFiles } = gate;
  if (tampered.length > 0) return 'unverifiable';
  if (verdict === 'passed' && (lostTestCounts(gate, context) || ranFewerTests(gate, context))) return 'unverifiable';
  return verdict === 'passed' && changedFiles === 0 && !context.config.trustPromise ? 'unchanged' : verdict;
}

/**
 * Whether sealed checks ran fewer tests than the baseline although neither the tests nor their settings changed: then
 * the work itself cut the run short.
 */
export function ranFewerTests(gate: Omit<GateResult, 'verdict'>, { baseline }: Pick<GateContext, 'baseline'>): boolean {
  const { tests, proof, editedTests, doubts = [] } = gate;
  if (proof !== 'sealed' || tests === undefined || baseline?.tests === undefined) return false;
  if (editedTests === undefined || editedTests.length + doubts.length > 0) return false;
  return tests.total - tests.skipped < baseline.tests.total - baseline.tests.skipped;
}

/**
 * Whether the baseline counted tests and this run counted none. A program that ends the test run from inside exits with
 * 0 and leaves no summary.
 */
export function lostTestCounts(
  { tests }: Pick<GateResult, 'tests'>,
  { baseline }: Pick<GateContext, 'baseline'>,
): boolean {
  const before = baseline?.tests;
  if (before === undefined || before.total === 0 || tests !== undefined) return false;
  return !countsOnlyFailures.test(before.framework ?? '');
}

interface Completion {
  readonly config: Pick<LoopConfig, 'verifyIn' | 'protect'>;
  readonly verification: { readonly latest?: { readonly result: { readonly proof?: ProofLevel } } };
}

/** The level of proof of a completion. Gates of the first releases do not record it: their settings decide. */
export function proofLevelOf({ config, verification: { latest } }: Completion, isVerified: boolean): ProofLevel {
  if (!isVerified) return 'none';
  if (latest?.result.proof !== undefined) return latest.result.proof;
  if (config.verifyIn !== 'tree') return config.verifyIn;
  return protectionOf(config.protect).mode === 'strict' ? 'clean' : 'tree';
}
