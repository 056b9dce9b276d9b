import { stripVTControlCharacters } from 'node:util';

// Left over after escape sequences are gone: other control characters, and marks that reorder or hide text.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Foreign text as it may be shown on a terminal: nothing in it can move the cursor or hide. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(hidden, '');
}

/** Foreign text on one line, cut to a length. */
export function oneLine(text: string, longest = 80): string {
  const line = plain(text).replace(/\s+/gu, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
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
