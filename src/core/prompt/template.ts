import { isVariableName } from '../../protocol/index.ts';

/** A piece of a prompt: literal text, or a variable without a value yet. */
export type PromptPart = { readonly text: string } | { readonly variable: string; readonly written: string };

/** A place where another file is to be included. */
export interface IncludePart {
  readonly include: string;
  /** The line of the directive. */
  readonly line: number;
}

// One pass over everything in braces; a third brace on both sides belongs to another template language.
const directive = /(\\?)\{\{(\{?)([^{}\r\n]*)\}\}(\}?)/gu;

/**
 * Parses `{{name}}` and `{{include:path}}` in a text; with a backslash before it, either is literal text.
 * Everything else in braces is literal too.
 */
export function parseTemplate(text: string, firstLine = 1): readonly (PromptPart | IncludePart)[] {
  const parts: (PromptPart | IncludePart)[] = [];
  let end = 0;
  let line = firstLine;
  let counted = 0;
  for (const found of text.matchAll(directive)) {
    const [whole, escape = '', third = '', inner = '', after = ''] = found;
    const meaning = third !== '' && after !== '' ? undefined : meaningOf(inner.trim());
    if (meaning === undefined) continue;
    const escaped = escape !== '' && third === '';
    const begin = found.index + escape.length + third.length;
    const written = `{{${inner}}}`;
    const before = text.slice(end, escaped ? begin - escape.length : begin);
    if (before !== '') parts.push({ text: before });
    line += lineBreaks(text.slice(counted, begin));
    counted = begin;
    if (escaped) parts.push({ text: written });
    else if (meaning.kind === 'include') parts.push({ include: meaning.path, line });
    else parts.push({ variable: meaning.name, written });
    end = found.index + whole.length - after.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The text with the known values. Inserted values are not scanned again; a name without a value stays. */
export function fillIn(parts: readonly PromptPart[], values: Readonly<Record<string, string>>): string {
  return bindVariables(parts, values)
    .map((part) => ('text' in part ? part.text : part.written))
    .join('');
}

/** The parts with the known values; the other variables remain. */
export function bindVariables(
  parts: readonly PromptPart[],
  values: Readonly<Record<string, string>>,
): readonly PromptPart[] {
  return parts.map((part) =>
    'variable' in part && Object.hasOwn(values, part.variable) ? { text: values[part.variable] ?? '' } : part,
  );
}

/** The variables without a value, each once, in the order of their first use. */
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
