import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';

const maxFiles = 200;
const maxEntries = 5_000;
const maxStars = 8;
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** The files that match a shell pattern, or `folder/**` and a name; relative to `from`, like the pattern. */
export function matchingFiles(from: string, pattern: string): readonly string[] {
  const parts = pattern.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0));
  const found: string[] = [];
  const open = [{ place: '', parts }];
  let entries = 0;
  for (const {
    place,
    parts: [part, ...rest],
  } of open) {
    if (part === undefined || found.length >= maxFiles || entries >= maxEntries) continue;
    if (part !== '**' && !/[*?[]/.test(part)) {
      const next = place === '' && part === '' ? '/' : path.join(place, part);
      if (rest.length === 0) found.push(next);
      else open.push({ place: next, parts: rest });
      continue;
    }
    const inside = entriesOf(path.resolve(from, place));
    entries += inside.length;
    const pattern = part === '**' ? undefined : namePattern(part);
    if (part === '**') open.push({ place, parts: rest });
    for (const entry of inside) {
      const file = path.join(place, entry.name);
      const isFolder = entry.isDirectory() && !skipped.has(entry.name);
      if (part === '**' && isFolder) open.push({ place: file, parts: ['**', ...rest] });
      if (pattern?.test(entry.name) !== true) continue;
      if (rest.length === 0 && !entry.isDirectory()) found.push(file);
      else if (rest.length > 0 && isFolder) open.push({ place: file, parts: rest });
    }
  }
  return found.slice(0, maxFiles);
}

/** A shell pattern with `*`, `?` and `[…]`. Consecutive stars are merged, so that matching stays fast. */
function namePattern(part: string): RegExp {
  const signs = part.replaceAll(/\*+/g, '*').match(/\[[^\]]+\]|[^]/g) ?? [];
  if (signs.filter((sign) => sign === '*').length > maxStars) return /(?!)/;
  const text = signs.map((sign) => {
    if (sign === '*') return '.*';
    if (sign === '?') return '.';
    if (/^\[.+\]$/s.test(sign)) return `[${sign.slice(1, -1).replace(/^!/, '^').replaceAll(/[\\[]/g, '\\$&')}]`;
    return sign.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  try {
    return new RegExp(`^${text.join('')}$`, 's');
  } catch {
    return /(?!)/;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}
