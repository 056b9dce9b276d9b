import { isVariableName } from '../../protocol/index.ts';

/** A piece of a prompt: text that stands as it is, or a variable that waits for its value. */
export type PromptPart = { readonly text: string } | { readonly variable: string; readonly written: string };

/** A place where another file is to be put in. */
export interface IncludePart {
  readonly include: string;
  /** The line it stands on. */
  readonly line: number;
}

// One pass over what stands between braces; a third brace on both sides is another language's.
const directive = /(\\?)\{\{(\{?)([^{}\r\n]*)\}\}(\}?)/gu;

/**
 * Reads `{{name}}` and `{{include:path}}` out of a text; with a backslash before it either stands for itself.
 * Everything else in braces is text, as it is.
 */
export function parseTemplate(text: string, firstLine = 1): readonly (PromptPart | IncludePart)[] {
  const parts: (PromptPart | IncludePart)[] = [];
  let end = 0;
  let line = firstLine;
  let counted = 0;
  for (const found of text.matchAll(directive)) {
    const [whole, escape = '', third = '', inner = '', after = ''] = found;
    const meant = third !== '' && after !== '' ? undefined : meaningOf(inner.trim());
    if (meant === undefined) continue;
    const escaped = escape !== '' && third === '';
    const begin = found.index + escape.length + third.length;
    const written = `{{${inner}}}`;
    const before = text.slice(end, escaped ? begin - escape.length : begin);
    if (before !== '') parts.push({ text: before });
    line += lineBreaks(text.slice(counted, begin));
    counted = begin;
    if (escaped) parts.push({ text: written });
    else if (meant.kind === 'include') parts.push({ include: meant.path, line });
    else parts.push({ variable: meant.name, written });
    end = found.index + whole.length - after.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The text with the values that are known. What is put in is never looked at again; a name without a value stays. */
export function fillIn(parts: readonly PromptPart[], values: Readonly<Record<string, string>>): string {
  return bindVariables(parts, values)
    .map((part) => ('text' in part ? part.text : part.written))
    .join('');
}

/** The parts with the values that are known; the other variables go on waiting for theirs. */
export function bindVariables(
  parts: readonly PromptPart[],
  values: Readonly<Record<string, string>>,
): readonly PromptPart[] {
  return parts.map((part) =>
    'variable' in part && Object.hasOwn(values, part.variable) ? { text: values[part.variable] ?? '' } : part,
  );
}

/** The variables that wait for a value, each once, in the order in which they first stand. */
export function variablesIn(parts: readonly PromptPart[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => ('variable' in part ? [part.variable] : [])))];
}

type Meaning =
  | { readonly kind: 'include'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string };

function meaningOf(inner: string): Meaning | undefined {
  if (isVariableName(inner)) return { kind: 'variable', name: inner };
  const path = inner.startsWith('include:') ? inner.slice('include:'.length).trim() : '';
  return path === '' ? undefined : { kind: 'include', path };
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
