import path from 'node:path';

const shownLines = 20;

/** The report about the public surface that the last build made. */
export function freshReport(root: string): string {
  return path.join(root, 'node_modules', '.cache', 'ralphd-api', 'library.api.md');
}

/** The report that was agreed on. */
export function committedReport(root: string): string {
  return path.join(root, 'docs', 'reference', 'library.api.md');
}

/** What to say about a surface that is not the one agreed on; nothing when it is. */
export function surfaceChange(committed: string, fresh: string): readonly string[] {
  if (committed === fresh) return [];
  const changes = [...onlyIn(committed, fresh, '-'), ...onlyIn(fresh, committed, '+')];
  return [
    'The public surface of the library is not what docs/reference/library.api.md says:',
    ...changes.slice(0, shownLines),
    ...(changes.length > shownLines ? [`… and ${changes.length - shownLines} lines more`] : []),
    'If users should get this change, run "npm run api", commit the report, and describe the change in CHANGELOG.md.',
  ];
}

function onlyIn(one: string, other: string, sign: string): readonly string[] {
  const known = new Set(other.split('\n'));
  const lines = one.split('\n').filter((line) => !known.has(line));
  return lines.map((line) => `  ${sign} ${line}`);
}
