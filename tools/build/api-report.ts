import path from 'node:path';
import type { Surface } from './surfaces.ts';

const shownLines = 20;

/** The report of a public module from the last build. */
export function freshReport(root: string, surface: Surface): string {
  return path.join(root, 'node_modules', '.cache', 'ralphd-api', reportName(surface));
}

/** The accepted report. */
export function committedReport(root: string, surface: Surface): string {
  return path.join(root, 'docs', 'reference', reportName(surface));
}

function reportName(surface: Surface): string {
  return `${surface === 'index' ? 'library' : surface}.api.md`;
}

interface Reports {
  readonly surface: Surface;
  readonly committed: string;
  readonly fresh: string;
}

/** A message about a surface that differs from the accepted one; empty if it does not. */
export function surfaceChange({ surface, committed, fresh }: Reports): readonly string[] {
  if (committed === fresh) return [];
  const changes = [...onlyIn(committed, fresh, '-'), ...onlyIn(fresh, committed, '+')];
  return [
    `The public surface of the library is not what docs/reference/${reportName(surface)} says:`,
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
