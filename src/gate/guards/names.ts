import { readdirSync } from 'node:fs';
import type { Guard } from '../../protocol/index.ts';

type NamesGuard = Extract<Guard, { kind: 'names' }>;

/** The files of a folder that match one of the names, in which `*` stands for anything. */
export function filesNamed(folder: string, names: readonly string[]): string[] {
  const patterns = names.map((name) => new RegExp(`^${name.split('*').map(escaped).join('.*')}$`));
  return entriesOf(folder).filter((entry) => patterns.some((each) => each.test(entry)));
}

/** The names that have appeared since. */
export function newNames({ present }: NamesGuard, now: Guard): readonly string[] {
  const known = new Set(present);
  return now.kind === 'names' ? now.present.filter((name) => !known.has(name)) : [];
}

function entriesOf(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort();
  } catch {
    return [];
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
