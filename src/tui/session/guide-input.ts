import { headText } from '../../base/index.ts';
import { maxGuidanceLength } from '../../protocol/index.ts';

/** A text that is being typed. */
export interface Draft {
  readonly text: string;
  /** Where the next character goes. */
  readonly cursor: number;
}

/** Nothing typed yet. */
export const emptyDraft: Draft = { text: '', cursor: 0 };

/** A draft with text at its cursor, within the limit of guidance. */
export function insert({ text, cursor }: Draft, added: string): Draft {
  const fitting = headText(added.replaceAll(/\r\n?/gu, '\n'), Math.max(0, maxGuidanceLength - text.length));
  return { text: text.slice(0, cursor) + fitting + text.slice(cursor), cursor: cursor + fitting.length };
}

/** A draft after a key that edits it; undefined for any other key. */
export function editDraft(draft: Draft, key: string): Draft | undefined {
  const { text, cursor } = draft;
  const [before, after] = [text.slice(0, cursor), text.slice(cursor)];
  switch (key) {
    case 'backspace': {
      const kept = withoutLast(before);
      return { text: kept + after, cursor: kept.length };
    }
    case 'delete':
      return { text: before + after.slice(firstLength(after)), cursor };
    case 'left':
      return { text, cursor: withoutLast(before).length };
    case 'right':
      return { text, cursor: cursor + firstLength(after) };
    case 'home':
    case 'ctrl-a':
      return { text, cursor: before.lastIndexOf('\n') + 1 };
    case 'end':
    case 'ctrl-e': {
      const next = after.indexOf('\n');
      return { text, cursor: next === -1 ? text.length : cursor + next };
    }
    case 'ctrl-u':
      return { text: after, cursor: 0 };
    case 'ctrl-w': {
      const kept = before.replace(/\S*\s*$/u, '');
      return { text: kept + after, cursor: kept.length };
    }
    case 'alt-enter':
    case 'ctrl-j':
      return insert(draft, '\n');
    default:
      return undefined;
  }
}

/** Whether a key is a character and has no name: names are longer. */
export function isCharacter(key: string): boolean {
  return key.length === 1 || (key.length === 2 && (key.codePointAt(0) ?? 0) > 0xffff);
}

/** What a reader sees as one character is removed as one. */
function withoutLast(text: string): string {
  const last = [...new Intl.Segmenter().segment(text.slice(-64))].at(-1);
  return last === undefined ? '' : text.slice(0, text.length - last.segment.length);
}

function firstLength(text: string): number {
  const [first] = new Intl.Segmenter().segment(text.slice(0, 64));
  return first?.segment.length ?? 0;
}
