/** A prompt file split into its front matter and the text for the agent. */
export interface SplitPrompt {
  /** The lines between the two `---`; missing when there are none. */
  readonly frontMatter?: string;
  /** The rest, or the whole text when there is no front matter. */
  readonly body: string;
  /** The line on which the body begins. */
  readonly bodyLine: number;
  /** Why a text that begins like front matter has none. */
  readonly doubt?: 'unclosed' | 'too_long';
}

/** Anything longer is hardly meant as front matter. */
const maxFrontMatterLength = 65_536;

const opening = /^\uFEFF?---[ \t]*\r?\n/u;

/** Finds the front matter: everything between a `---` on the very first line and the next line that is `---`. */
export function splitFrontMatter(text: string): SplitPrompt {
  const opened = opening.exec(text);
  if (opened === null) return { body: text, bodyLine: 1 };
  const start = opened[0].length;
  const closing = /^---[ \t]*(?:\r?\n|\r?$(?![\s\S]))/gmu;
  closing.lastIndex = start;
  const closed = closing.exec(text);
  if (closed === null) return { body: text, bodyLine: 1, doubt: 'unclosed' };
  const frontMatter = text.slice(start, closed.index);
  if (frontMatter.length > maxFrontMatterLength) return { body: text, bodyLine: 1, doubt: 'too_long' };
  const body = text.slice(closed.index + closed[0].length);
  return { frontMatter, body, bodyLine: frontMatter.split('\n').length + 2 };
}
