import type { Mapping } from './fields.ts';

/** The state in the front matter of a Markdown file, and the text below it. */
export interface PluginFile {
  readonly state: Mapping;
  readonly body: string;
}

/**
 * Reads a Markdown file whose front matter has one `name: value` a line, as the plugins write it; undefined if it has
 * no front matter that names an iteration.
 */
export function readPluginFile(text: string): PluginFile | undefined {
  const [, head, body = ''] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/u.exec(text) ?? [];
  if (head === undefined) return undefined;
  const entries = head.split(/\r?\n/u).flatMap((line) => {
    const [, name, value] = /^([A-Za-z_][\w-]*):(.*)$/u.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, scalar(value.trim())] as const];
  });
  const state = Object.fromEntries(entries);
  return Object.hasOwn(state, 'iteration') ? { state, body } : undefined;
}

function scalar(text: string): unknown {
  if (text === '' || text === 'null' || text === '~') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d+$/u.test(text)) return Number(text);
  if (/^"(?:[^"\\]|\\.)*"$/u.test(text)) return unquoted(text);
  if (/^'(?:[^']|'')*'$/u.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
