import { describeStubborn, type Evidence } from '../../core/index.ts';
import type { Verdict } from '../../protocol/index.ts';
import { judgedText } from './best-iteration.ts';
import { denialText } from './denials.ts';

const maxTests = 2;
const maxFiles = 5;

/** One observation, in one line or, for several tests, a line each. */
export function evidenceLines(evidence: Evidence): readonly string[] {
  switch (evidence.kind) {
    case 'check':
      return [`${evidence.command}: ${verdictText(evidence.verdict)}${whenText(evidence.iteration)}`];
    case 'gate':
      return [`last verdict of the checks: ${verdictText(evidence.verdict)}${whenText(evidence.iteration)}`];
    case 'tampered':
      return [`files that the checks depend on were changed, so the checks prove nothing: ${listed(evidence.files)}`];
    case 'failure':
      return [`the last failure: ${evidence.message}`];
    case 'tests':
      return [
        `${evidence.passed} of ${evidence.total} tests passed (${evidence.framework}), ${evidence.failed} failed`,
      ];
    case 'broken_tests':
      return firstTests(evidence.names.map((name) => `newly broken: ${name}`));
    case 'flaky_tests':
      return firstTests(evidence.names.map((name) => `flaky, so it proves nothing: ${name}`));
    case 'stubborn_tests':
      return firstTests(evidence.tests.map(describeStubborn));
    case 'denied':
      return [`denied in iteration ${evidence.denied.iteration}: ${denialText(evidence.denied, evidence.agent)}`];
    case 'better_iteration':
      return [betterText(evidence)];
    case 'work':
      return [workText(evidence)];
    case 'progress':
      return [
        evidence.lastProgress === 0
          ? `no progress in ${iterations(evidence.finished)}`
          : `the last progress was in iteration ${evidence.lastProgress}`,
      ];
  }
}

function verdictText(verdict: Verdict): string {
  return verdict.replace('_', ' ');
}

function whenText(iteration: number | undefined): string {
  if (iteration === undefined) return '';
  return iteration === 0 ? ' before the first iteration' : ` after iteration ${iteration}`;
}

function betterText({ best, checked, finished }: Extract<Evidence, { kind: 'better_iteration' }>): string {
  const other = checked === finished ? 'the last one' : `iteration ${checked}, the last one that was checked`;
  return `iteration ${best.iteration} was better than ${other}: ${judgedText(best)}`;
}

function workText({ finished, failed, lastProgress }: Extract<Evidence, { kind: 'work' }>): string {
  if (finished === 0) return 'no iteration was finished';
  const progress = lastProgress === 0 ? 'none made progress' : `the last progress was in iteration ${lastProgress}`;
  return `${iterations(finished)}, ${failed} failed; ${progress}`;
}

function iterations(count: number): string {
  return `${count} ${count === 1 ? 'iteration' : 'iterations'}`;
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - maxFiles;
  return `${paths.slice(0, maxFiles).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function firstTests(lines: readonly string[]): readonly string[] {
  const rest = lines.length - maxTests;
  const shown = lines.slice(0, maxTests);
  return rest <= 0 ? shown : shown.map((line, index) => (index < maxTests - 1 ? line : `${line}; and ${rest} more`));
}
