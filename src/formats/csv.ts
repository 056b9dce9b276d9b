import { scrub } from '../base/index.ts';

/** A value of a table; undefined stands for what is unknown, and leaves its cell empty. */
export type CsvValue = string | number | boolean | undefined;

/** A table as CSV (RFC 4180, with plain line feeds), in UTF-8. */
export function csvText(headings: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  return [headings, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}

function cell(value: CsvValue): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const text = harmless(scrub(value).toWellFormed().replaceAll(/\s+/gu, ' ').trim());
  return /[",;'\s]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet would run text that begins like a formula, also after a semicolon, where some of them begin a new cell.
 * An apostrophe makes it text.
 */
function harmless(text: string): string {
  return text.replaceAll(/(^|;)([\s"]*)(?=[=+\-@＝＋－＠|%])/gu, "$1$2'");
}
