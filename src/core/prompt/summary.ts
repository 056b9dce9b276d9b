const markers = [/^## Summary\b(.*)$/mu, /^### Summary\b(.*)$/mu, /^\s*Summary:(.*)$/mu];
const maxLines = 5;

/** The agent's own summary: up to five lines after the first marker that occurs. */
export function extractSummary(text: string): string | undefined {
  for (const marker of markers) {
    const found = marker.exec(text);
    if (found === null) continue;
    const after = text
      .slice(found.index + found[0].length)
      .split(/\r?\n/u)
      .slice(1, maxLines + 1);
    const sameLine = (found[1] ?? '').replace(/^:/u, '').trim();
    const lines = sameLine === '' ? after : [sameLine, ...after].slice(0, maxLines);
    const summary = lines
      .map((line) => line.trim())
      .join('\n')
      .trim();
    return summary === '' ? undefined : summary;
  }
  return undefined;
}
