import { firstMatch } from '../../src/core/reports/patterns.ts';
import type { BenchCase } from '../case.ts';

/** As much as is kept of an agent's words, and all but its last letter is what the hostile patterns are after. */
const text = `${'a'.repeat(256 * 1024 - 1)}!`;

/** Patterns that make a backtracking engine try every way to divide the text, and harmless ones of their length. */
const pairs = [
  { hostile: '(a+)+a$', harmless: '[a-f]+$' },
  { hostile: '^(a|aa)+$', harmless: '[a-f0]+a$' },
  { hostile: '(a|a)*(a|a)*b?$$', harmless: '[a-f][a-z]+[0-9]' },
] as const;

/** What a hostile regular expression of the user's costs over text of an agent's, beyond a harmless one. */
export const cases: readonly BenchCase[] = pairs.map(({ hostile, harmless }) => ({
  name: `the hostile pattern ${spoken(hostile)} over 256 KB`,
  against: `the harmless pattern ${spoken(harmless)} over the same text`,
  unit: 'ms',
  budget: { times: 4 },
  runs: 10,
  floor: async () => cpuOf(harmless),
  subject: async () => cpuOf(hostile),
}));

/** In a table a bar would end the cell. */
function spoken(pattern: string): string {
  return `\`${pattern.replaceAll('|', String.raw`\|`)}\``;
}

/** Milliseconds of processor time: on a shared machine the clock on the wall measures the others too. */
function cpuOf(pattern: string): number {
  const before = process.cpuUsage();
  firstMatch([pattern], text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
