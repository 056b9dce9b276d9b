/** A prompt file, taken apart: what it says about itself, and what is meant for the agent. */
export interface SplitPrompt {
  /** The lines between the two `---`; missing when there are none. */
  readonly frontMatter?: string;
  /** The rest, or the whole text when there is no front matter. */
  readonly body: string;
  /** The line on which the body begins. */
  readonly bodyLine: number;
  /** Why a text that begins like one with front matter has none. */
  readonly doubt?: 'unclosed' | 'too_long';
}

/** A longer one is hardly meant as one. */
const longestFrontMatter = 65_536;

const opening = /^\uFEFF?---[ \t]*\r?\n/u;

/** Finds the front matter: what stands between a `---` on the very first line and the next line that is `---`. */
export function splitFrontMatter(text: string): SplitPrompt {
  const opened = opening.exec(text);
  if (opened === null) return { body: text, bodyLine: 1 };
  const start = opened[0].length;
  const closing = /^---[ \t]*(?:\r?\n|\r?$(?![\s\S]))/gmu;
  closing.lastIndex = start;
  const closed = closing.exec(text);
  if (closed === null) return { body: text, bodyLine: 1, doubt: 'unclosed' };
  const frontMatter = text.slice(start, closed.index);
  if (frontMatter.length > longestFrontMatter) return { body: text, bodyLine: 1, doubt: 'too_long' };
  const body = text.slice(closed.index + closed[0].length);
  return { frontMatter, body, bodyLine: frontMatter.split('\n').length + 2 };
}
