import { keepEnd } from '../../base/index.ts';
import { describeStubborn, measureName } from '../../core/index.ts';
import type { StoredView, TestHints, ViewedTests } from '../../protocol/index.ts';
import { oneLine } from './plain.ts';

const maxNames = 2;
const maxNameWidth = 60;

/** The test counts of a loop and the tests worth naming, one row each; empty if no tests were counted. */
export function testRows(tests: ViewedTests | undefined): readonly (readonly [string, string | undefined])[] {
  if (tests === undefined) return [];
  const { passed, total, skipped, framework, fixed, broken, flaky, stubborn } = tests;
  const isSteady = (name: string) => !flaky.includes(name);
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  return [
    ['tests', `${passed} of ${total} passed${left} (${oneLine(framework)})`],
    ['fixed', names(fixed.filter(isSteady))],
    ['broken', names(broken.filter(isSteady))],
    ['flaky', names(flaky)],
    ['stubborn', some(stubborn.map(describeStubborn), 1, (text) => oneLine(text, 160))],
  ];
}

/** What the agent's own test run showed, in one line. */
export function hintText({ passed, total, skipped, framework }: TestHints): string {
  const left = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `${passed} of ${total} passed${left} in the agent's own run (${oneLine(framework)}): a hint, not proof`;
}

/** The latest measures of the gate, in one line; undefined if there are none. */
export function measuresText(measures: StoredView['measures']): string | undefined {
  const texts = measures.map((measure) => {
    const best = measure.value === measure.best ? '' : ` (best: ${measure.best})`;
    return `${oneLine(measureName(measure), 60)} ${measure.value}${best}`;
  });
  return some(texts, 4, (text) => text);
}

function names(all: readonly string[]): string | undefined {
  return some(all, maxNames, endOf);
}

/** Shortens from the left: test names differ at the end, and begin with the file. */
function endOf(name: string): string {
  return keepEnd(oneLine(name, Number.POSITIVE_INFINITY), maxNameWidth);
}

function some(all: readonly string[], max: number, show: (text: string) => string): string | undefined {
  if (all.length === 0) return undefined;
  const more = all.length - max;
  return `${all.slice(0, max).map(show).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
