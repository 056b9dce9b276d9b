import { oneLine } from './plain.ts';

/** Foreign text on one line of Markdown, as text: it can make no markup, no list, no HTML and no mention. */
export function plainMarkdown(text: string, maxColumns = 300): string {
  return oneLine(text, maxColumns)
    .replaceAll(/[\\`*_[\]<>|~&$#!]/g, '\\$&')
    .replace(/^([-+=])/, '\\$1')
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replaceAll('@', '@\u200b');
}

/** Foreign text as code, also within a table. */
export function codeSpan(text: string, maxColumns = 300): string {
  const line = oneLine(text, maxColumns);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`.replaceAll('|', '\\|');
}

/** Foreign text of several lines as a block that nothing in it can close. */
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
