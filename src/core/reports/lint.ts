/** How many problems a linter or a type checker counted. */
export interface LintCount {
  readonly tool: string;
  readonly problems: number;
}

/** The summary lines of linters; the numbers of all groups are added. */
const summaries: readonly (readonly [tool: string, line: RegExp])[] = [
  // ESLint and stylelint sum up alike, and so do Ruff and Biome.
  ['eslint', /^✖ (\d{1,9}) problems? \(\d+ errors?, \d+ warnings?\)$/u],
  ['ruff', /^Found \d{1,9} errors? \(\d+ fixed, (\d{1,9}) remaining\)\.$/u],
  ['ruff', /^Found (\d{1,9}) errors?\.$/u],
  ['ruff', /^All checks passed!$/u],
  ['biome', /^Found (\d{1,9}) warnings?\.$/u],
  ['oxlint', /^Found (\d{1,9}) warnings? and (\d{1,9}) errors?\.$/u],
  ['deno', /^Found (\d{1,9}) problems?$/u],
  ['mypy', /^Found (\d{1,9}) errors? in \d+ files? \(.{1,80}\)$/u],
  ['mypy', /^Success: no issues found in \d+ source files?$/u],
  ['pyright', /^(\d{1,9}) errors?, (\d{1,9}) warnings?, \d+ informations?$/u],
  ['tsc', /^Found (\d{1,9}) errors? in (?:\d+ files\.|the same file, starting at: \S+|\S+:\d+)$/u],
  ['golangci-lint', /^(\d{1,9}) issues[:.]$/u],
  ['rubocop', /^\d+ files? inspected, (?:no|(\d{1,9})) offenses? detected/u],
  ['phpstan', /^\[ERROR\] Found (\d{1,9}) errors?$/u],
  ['phpstan', /^\[OK\] No errors$/u],
  ['phpcs', /^A TOTAL OF (\d{1,9}) ERRORS? AND (\d{1,9}) WARNINGS? WERE FOUND IN \d+ FILES?$/u],
  ['swiftlint', /^Done linting! Found (\d{1,9}) violations?, \d+ serious in \d+ files?\.$/u],
  ['markdownlint', /^Summary: (\d{1,9}) error\(s\)$/u],
];

/** The number of problems that a summary line reports, which may be 0. */
export function readLint(line: string): LintCount | undefined {
  for (const [tool, pattern] of summaries) {
    const match = pattern.exec(line);
    if (match !== null) return { tool, problems: match.slice(1).reduce((sum, count) => sum + Number(count ?? 0), 0) };
  }
  return undefined;
}
