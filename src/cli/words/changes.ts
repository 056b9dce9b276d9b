/** How much changed: files, and lines where they were counted. */
export function changedAmount(
  files: number,
  lines: { readonly added: number; readonly removed: number } | undefined,
): string {
  const count = `${files} ${files === 1 ? 'file' : 'files'}`;
  if (lines === undefined) return count;
  return `${count}, ${lines.added} ${lines.added === 1 ? 'line' : 'lines'} added, ${lines.removed} removed`;
}
