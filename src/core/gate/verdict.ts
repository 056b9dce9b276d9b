import type { Ending, LoopConfig, Verdict } from '../../protocol/index.ts';
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
}

/**
 * What a gate comes to. Checks that are no longer the user's own prove nothing, whatever they say; and where nothing
 * has changed since the loop began, there is no work that they could prove.
 */
export function verdictOf(gate: RanGate, { trustPromise }: Pick<LoopConfig, 'trustPromise'>): Verdict {
  const { verdict, tampered = [], changedFiles } = gate;
  if (tampered.length > 0) return 'unverifiable';
  return verdict === 'passed' && changedFiles === 0 && !trustPromise ? 'unchanged' : verdict;
}
