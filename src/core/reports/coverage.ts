/** How much of the code the tests reach, in percent. */
export interface Coverage {
  /** The tool that reports it; for go, with the package. */
  readonly of: string;
  readonly percent: number;
}

const number = String.raw`(100(?:\.0+)?|\d{1,2}(?:\.\d+)?)`;

/** The summary line of each tool; the first group that matches is the share of lines, or of statements. */
const summaries: readonly (readonly [tool: string, line: RegExp])[] = [
  // The columns: statements, branches, functions, lines.
  ['istanbul', new RegExp(String.raw`^All files *\|(?: *[\d.]+ *\|){3} *${number} *\|`, 'u')],
  ['istanbul', new RegExp(String.raw`^Lines *: ${number}% \( *\d+/\d+ *\)$`, 'u')],
  // Functions and lines.
  ['bun', new RegExp(String.raw`^All files *\| *[\d.]+ *\| *${number} *\|(?:$| *[^\d ])`, 'u')],
  ['node:test', new RegExp(String.raw`^(?:# |\u2139 )?all files *\| *${number} *\|`, 'u')],
  ['coverage.py', new RegExp(String.raw`^TOTAL(?: +\d+){2,4} +${number}%$`, 'u')],
  // Regions, functions, lines: all, missed and share of each.
  ['llvm-cov', new RegExp(String.raw`^TOTAL(?: +\d+ +\d+ +[\d.]+%){2} +\d+ +\d+ +${number}%`, 'u')],
  ['go', new RegExp(String.raw`^total:\s+\(statements\)\s+${number}%$`, 'u')],
  ['tarpaulin', new RegExp(String.raw`^${number}% coverage, \d+/\d+ lines covered`, 'u')],
  ['simplecov', new RegExp(String.raw`^Line Coverage: ${number}% \(\d+ / \d+\)$`, 'u')],
  [
    'simplecov',
    new RegExp(
      String.raw`^(?:Coverage report generated for .{1,200} to .{1,300}\. )?\d+ / \d+ LOC \(${number}%\) covered\.$`,
      'u',
    ),
  ],
  ['phpunit', new RegExp(String.raw`^Lines: +${number}% \( *\d+/ *\d+\)$`, 'u')],
  ['coverlet', new RegExp(String.raw`^\| Total +\| ${number}% +\| [\d.]+% +\|`, 'u')],
];

const goPackage = new RegExp(String.raw`^(?:ok\s+(\S{1,200})\s.*)?coverage: ${number}% of statements`, 'u');

/** The coverage that a line reports. */
export function readCoverage(line: string): Coverage | undefined {
  const [, place, share] = goPackage.exec(line) ?? [];
  if (share !== undefined) return place === undefined ? undefined : { of: `go ${place}`, percent: Number(share) };
  for (const [tool, pattern] of summaries) {
    const percent = pattern.exec(line)?.[1];
    if (percent !== undefined) return { of: tool, percent: Number(percent) };
  }
  return undefined;
}
