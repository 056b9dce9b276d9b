import { type Breakpoint, breakpointWords } from '../../protocol/index.ts';

/** What a breakpoint looks like. */
export const breakpointForm = `the number of an iteration, ${breakpointWords.join(' or ')}`;

/** The breakpoint that a text names. */
export function readBreakpoint(text: string): Breakpoint | undefined {
  return /^[1-9]\d{0,8}$/u.test(text) ? Number(text) : breakpointWords.find((word) => word === text);
}

/** Where a loop asks in every mode, as a clause. */
export function breakpointsText(breakpoints: readonly Breakpoint[]): string {
  return breakpoints.length === 0 ? 'has no breakpoints' : `asks ${breakpoints.map(placeText).join(', ')}`;
}

function placeText(breakpoint: Breakpoint): string {
  if (breakpoint === 'test_regression') return 'when more tests fail than before (test_regression)';
  return breakpoint === 'completion' ? 'before completion' : `before iteration ${breakpoint}`;
}
