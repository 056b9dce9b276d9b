import { firstMatch } from '../../src/core/reports/patterns.ts';
import type { BenchCase } from '../case.ts';

/** The maximum size of an agent's text that is kept; all but its last letter matches the hostile patterns. */
const text = `${'a'.repeat(256 * 1024 - 1)}!`;

/** Patterns that make a backtracking engine try every way to divide the text, and harmless ones of their length. */
const pairs = [
  { hostile: '(a+)+a$', harmless: '[a-f]+$' },
  { hostile: '^(a|aa)+$', harmless: '[a-f0]+a$' },
  { hostile: '(a|a)*(a|a)*b?$$', harmless: '[a-f][a-z]+[0-9]' },
] as const;

/** The cost of a hostile regular expression on an agent's text, compared with a harmless one. */
export const cases: readonly BenchCase[] = pairs.map(({ hostile, harmless }) => ({
  name: `the hostile pattern ${spoken(hostile)} over 256 KB`,
  against: `the harmless pattern ${spoken(harmless)} over the same text`,
  unit: 'ms',
  budget: { times: 4 },
  runs: 10,
  floor: async () => cpuOf(harmless),
  subject: async () => cpuOf(hostile),
}));

/** A bar would end the table cell. */
function spoken(pattern: string): string {
  return `\`${pattern.replaceAll('|', String.raw`\|`)}\``;
}

/** Milliseconds of processor time, because wall time on a shared machine includes other processes. */
function cpuOf(pattern: string): number {
  const before = process.cpuUsage();
  firstMatch([pattern], text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
