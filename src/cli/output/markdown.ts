import { escapeMarkdown } from '../../base/index.ts';
import { oneLine } from './plain.ts';

/** Untrusted text on one line of Markdown, escaped and shortened. */
export function plainMarkdown(text: string, maxColumns = 300): string {
  return escapeMarkdown(oneLine(text, maxColumns));
}

/** Untrusted text as inline code, safe in a table. */
export function codeSpan(text: string, maxColumns = 300): string {
  const line = oneLine(text, maxColumns);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`.replaceAll('|', '\\|');
}

/** Untrusted text as a code block with a fence that the text cannot close. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A table; the cells are Markdown already. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
