import { isVariableName } from '../../protocol/index.ts';

/** A piece of a prompt: literal text, a variable without a value yet, or a directive of a template and its place. */
export type PromptPart =
  | { readonly text: string }
  | { readonly variable: string; readonly written: string }
  | { readonly directive: string; readonly written: string; readonly where: string };

/** A place where another file is to be included. */
export interface IncludePart {
  readonly include: string;
  /** The line of the directive. */
  readonly line: number;
}

// One pass over everything in braces; a third brace on both sides belongs to another template language.
const directive = /(\\?)\{\{(\{?)([^{}\r\n]*)\}\}(\}?)/gu;

/** How a text is parsed. */
export interface TemplateText {
  /** The line on which it begins. */
  readonly firstLine?: number;
  /** The name of a file that is a template: everything in double braces is a directive. */
  readonly template?: string | undefined;
}

/**
 * Parses `{{name}}` and `{{include:path}}` in a text; with a backslash before it, either is literal text.
 * Everything else in braces is literal too, unless the text is a template.
 */
export function parseTemplate(
  text: string,
  { firstLine = 1, template }: TemplateText = {},
): readonly (PromptPart | IncludePart)[] {
  const parts: (PromptPart | IncludePart)[] = [];
  let end = 0;
  let line = firstLine;
  let counted = 0;
  for (const found of text.matchAll(directive)) {
    const [whole, escape = '', third = '', inner = '', after = ''] = found;
    const isForeign =
      (third !== '' && after !== '') || (template !== undefined && isExpressionOfActions(text, found.index));
    const meaning = isForeign ? undefined : meaningOf(inner.trim(), template !== undefined);
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
    else if (meaning.kind === 'variable') parts.push({ variable: meaning.name, written });
    else parts.push({ directive: meaning.text, written, where: `${template}:${line}` });
    end = found.index + whole.length - after.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** `${{ … }}` belongs to GitHub Actions. */
function isExpressionOfActions(text: string, index: number): boolean {
  return text[index - 1] === '$';
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
  | { readonly kind: 'directive'; readonly text: string }
  | { readonly kind: 'include'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string };

function meaningOf(inner: string, isTemplate: boolean): Meaning | undefined {
  const path = inner.startsWith('include:') ? inner.slice('include:'.length).trim() : '';
  if (path !== '') return { kind: 'include', path };
  if (isTemplate) return { kind: 'directive', text: inner };
  return isVariableName(inner) ? { kind: 'variable', name: inner } : undefined;
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
