import path from 'node:path';

const shownLines = 20;

/** The report of the public surface from the last build. */
export function freshReport(root: string): string {
  return path.join(root, 'node_modules', '.cache', 'ralphd-api', 'library.api.md');
}

/** The accepted report. */
export function committedReport(root: string): string {
  return path.join(root, 'docs', 'reference', 'library.api.md');
}

/** A message about a surface that differs from the accepted one; undefined if it does not. */
export function surfaceChange(committed: string, fresh: string): readonly string[] {
  if (committed === fresh) return [];
  const changes = [...onlyIn(committed, fresh, '-'), ...onlyIn(fresh, committed, '+')];
  return [
    'The public surface of the library is not what docs/reference/library.api.md says:',
    ...changes.slice(0, shownLines),
    ...(changes.length > shownLines ? [`… and ${changes.length - shownLines} more lines`] : []),
    'If users should get this change, run "npm run api", commit the report, and describe the change in CHANGELOG.md.',
  ];
}

function onlyIn(one: string, other: string, sign: string): readonly string[] {
  const known = new Set(other.split('\n'));
  const lines = one.split('\n').filter((line) => !known.has(line));
  return lines.map((line) => `  ${sign} ${line}`);
}
