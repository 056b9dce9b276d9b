/** Where in the answer the promise may be. */
export type PromiseMatch = 'strict' | 'anywhere';

/** What is needed to distinguish a claim from a mention. */
export interface ClaimQuestion {
  readonly promise: string;
  readonly match: PromiseMatch;
  /** The agent's prompt. A passage of it that the agent merely repeats is not a claim. */
  readonly prompt?: string;
}

/** Recognises a promise tag whatever its text. */
export const anyPromiseTag = /<promise>([\s\S]*?)<\/promise>/i;

/** Whether the assistant's own text claims completion. A claim is only a request to verify. */
export function detectClaim(text: string, { promise, match, prompt = '' }: ClaimQuestion): boolean {
  const tag = promiseTag(promise);
  if (tag === undefined) return false;
  const own = withoutEchoes(text, prompt, tag);
  if (match === 'anywhere') return tag.test(own);
  return endsWithTag(withoutFences(own), tag);
}

/** The tag for one promise: letter case and white space do not matter, everything else is literal. */
function promiseTag(promise: string): RegExp | undefined {
  const words = promise.trim().split(/\s+/u).filter(Boolean).map(escapeForRegExp);
  return words.length === 0 ? undefined : new RegExp(`<promise>\\s*${words.join('\\s+')}\\s*</promise>`, 'iu');
}

/** Escapes a text so that a regular expression matches it literally. */
export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&').replaceAll('-', '\\x2d');
}

/** Whether the text ends with the tag on separate lines. */
function endsWithTag(text: string, tag: RegExp): boolean {
  const end = text.trimEnd();
  const start = [...end.matchAll(/<promise>/gi)].at(-1)?.index;
  if (start === undefined) return false;
  const lineStart = end.lastIndexOf('\n', start) + 1;
  if (end.slice(lineStart, start).trim() !== '') return false;
  const candidate = end.slice(start);
  return tag.exec(candidate)?.[0].length === candidate.length;
}

/** The text without its fenced code. A fence that is never closed runs to the end. */
export function withoutFences(text: string): string {
  const kept: string[] = [];
  let fence: { readonly mark: string; readonly length: number } | undefined;
  for (const line of text.split('\n')) {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line.replace(/\r$/u, ''));
    const [mark = '', rest = ''] = found === null ? [] : [found[1], found[2]];
    if (fence === undefined) {
      if (found !== null && !(mark.startsWith('`') && rest.includes('`'))) {
        fence = { mark: mark.charAt(0), length: mark.length };
      } else kept.push(line);
    } else if (found !== null && mark.charAt(0) === fence.mark && mark.length >= fence.length && rest.trim() === '') {
      fence = undefined;
    }
  }
  return kept.join('\n');
}

/**
 * Drops the lines with a tag that are also in the prompt. A line that is the bare tag could be an honest
 * claim, so it counts as an echo only when the line before it is repeated as well.
 */
function withoutEchoes(text: string, prompt: string, tag: RegExp): string {
  if (!tag.test(prompt) || !tag.test(text)) return text;
  const passages = tagLines(onOneLine(prompt, tag), tag);
  const kept: string[] = [];
  let before = '';
  for (const line of onOneLine(text, tag).split('\n')) {
    const trimmed = line.trim();
    const echo = tag.test(line) && passages.some((passage) => repeats(passage, trimmed, before));
    if (!echo) kept.push(line);
    if (trimmed !== '') before = trimmed;
  }
  return kept.join('\n');
}

function onOneLine(text: string, tag: RegExp): string {
  return text.replace(new RegExp(tag, 'giu'), (found) => found.replace(/\s+/gu, ' '));
}

interface Passage {
  readonly line: string;
  readonly before: string;
  readonly bare: boolean;
}

function tagLines(prompt: string, tag: RegExp): Passage[] {
  const passages: Passage[] = [];
  let before = '';
  for (const raw of prompt.split('\n')) {
    const line = raw.trim();
    if (tag.test(line)) passages.push({ line, before, bare: tag.exec(line)?.[0].length === line.length });
    if (line !== '') before = line;
  }
  return passages;
}

function repeats(passage: Passage, line: string, before: string): boolean {
  if (passage.line !== line) return false;
  return !passage.bare || (passage.before !== '' && passage.before === before);
}
