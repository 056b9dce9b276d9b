import { readCargoSummary } from './cargo.ts';
import { readJestTests } from './jest.ts';
import { readPytestSummary } from './pytest.ts';
import type { Counts } from './report.ts';

const readers: Readonly<Record<string, (line: string) => Counts | undefined>> = {
  cargo: readCargoSummary,
  jest: (line) => (line.startsWith('Tests: ') ? readJestTests(line) : undefined),
  pytest: readPytestSummary,
};

/**
 * The counts of a summary that is all there is, as `cargo test | tail -1` leaves it. In longer output such a line counts
 * only together with what its runner prints around it.
 */
export function readBareSummary(line: string): { readonly framework: string; readonly counts: Counts } | undefined {
  for (const [framework, read] of Object.entries(readers)) {
    const counts = read(line);
    if (counts !== undefined) return { framework, counts };
  }
  return undefined;
}
