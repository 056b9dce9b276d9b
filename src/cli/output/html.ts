import { scrub } from '../../base/index.ts';

/** HTML that is safe to insert into a page. Text becomes markup only by being escaped. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = string | number | Markup | readonly Markup[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup from a template; every inserted text is scrubbed and escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const pieces = strings.map((text, index) => text + (index < parts.length ? sourceOf(parts[index] ?? '') : ''));
  return new Markup(pieces.join(''));
}

function sourceOf(part: Part): string {
  if (part instanceof Markup) return part.source;
  if (typeof part === 'object') return part.map(({ source }) => source).join('');
  return scrub(String(part)).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
