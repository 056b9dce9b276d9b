import type { ShownLoop } from '../loop/loop.ts';

const mostNames = 5;

/** Why somebody should look twice at what the last gate said: nothing here refuses it. */
export function doubtsOf({ gate, baseline, protectedFiles, base }: Doubtful): readonly string[] {
  const { doubts: said = [], tests } = gate?.result ?? {};
  // Strictly protected tests are run without those that came later.
  const around = base === undefined ? protectedFiles.created.filter((path) => isAround.test(path)) : [];
  const doubts = [...new Set([...said, ...(gate === undefined ? [] : around.map((path) => `${path} (new)`))])];
  const before = ranIn(baseline?.tests);
  const now = ranIn(tests);
  const fewer = before !== undefined && now !== undefined && now < before;
  return [
    ...(doubts.length === 0 ? [] : [`changed, and has a say in what the checks run: ${listed(doubts)}`]),
    ...(fewer ? [`fewer tests than before the loop started: ${now} of ${before}`] : []),
  ];
}

type Doubtful = Pick<ShownLoop, 'gate' | 'baseline' | 'protectedFiles' | 'base'>;

/** New files among the tests that runners take in by their names, wherever they lie. */
const isAround = /(?:^|\/)(?:conftest\.py|(?:spec|rails|test)_helper\.\w+|pytest\.ini|Pest\.php)$/;

/** How many tests ran; a run that was broken before any did says nothing. */
function ranIn(tests: { readonly total: number; readonly skipped: number } | undefined): number | undefined {
  return tests === undefined || tests.total === 0 ? undefined : tests.total - tests.skipped;
}

/** The first names of many, and how many more there are. */
export function listed(paths: readonly string[]): string {
  const rest = paths.length - mostNames;
  return `${paths.slice(0, mostNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
