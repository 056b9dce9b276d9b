// The line every generated page begins with.
const generatedNotice = '<!-- Generated from the code by "npm run docs"; edit the code instead. -->';

/** A table; cells are escaped, and empty columns are dropped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const kept = columns.map((_, index) => rows.some((row) => row[index] !== ''));
  const line = (cells: readonly string[]): string =>
    `| ${cells
      .filter((_, index) => kept[index])
      .map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '))
      .join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text as code, even if it contains backticks. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Text that Markdown must not read as HTML. */
export function plain(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

/** A whole page from its parts, with one blank line between them. */
export function page(...parts: readonly (string | readonly string[])[]): string {
  return `${[generatedNotice, ...parts.flat()].join('\n\n')}\n`;
}
