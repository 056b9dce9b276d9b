import { scrub } from '../../base/index.ts';

/** Foreign text on one line, cut to a length. */
export function oneLine(text: string, longest = 80): string {
  const line = scrub(text).replace(/\s+/gu, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A duration for people: coarse, and never "0s" for something that took time. */
export function shortDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
