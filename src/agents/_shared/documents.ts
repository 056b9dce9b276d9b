/** Receives what the lines of a stream contain. */
export interface DocumentTaker {
  /** A whole JSON value; returns whether it means anything. */
  readonly value: (json: unknown) => boolean;
  /** A line that is not JSON. */
  readonly text: (line: string) => void;
  /** JSON that means nothing or is incomplete. */
  readonly broken: () => void;
}

const maxDocumentLength = 4 * 1024 * 1024;
const byteOrderMark = 0xfeff;
const ends: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Finds the JSON in a stream of lines: a value on each, or one that is printed over many. */
export function createDocuments({ value, text, broken }: DocumentTaker) {
  let pending: string[] = [];
  let length = 0;
  let isFirst = true;

  const giveUp = () => {
    for (const line of pending) text(line);
    pending = [];
  };
  const read = (line: string): void => {
    const wasFirst = isFirst;
    if (line.trim() === '') return;
    isFirst = false;
    const json = parse(line);
    if (json !== undefined) {
      if (!value(json.value)) broken();
    } else if (ends[line.trimEnd()] !== undefined) {
      pending = [line];
      length = line.length;
    }
    // A stream whose first event breaks off is no answer in plain text.
    else if (wasFirst && /^\ufeff?\[?\{"/.test(line)) broken();
    else text(line);
  };
  const goOn = (line: string): void => {
    const isEnd = line.trimEnd() === ends[pending[0]?.trimEnd() ?? ''];
    // Every line within such a value is indented.
    if (!isEnd && /^\S/.test(line)) {
      giveUp();
      return read(line);
    }
    pending.push(line);
    length += line.length;
    const json = isEnd ? parse(pending.join('\n')) : undefined;
    if (json !== undefined && value(json.value)) pending = [];
    else if (isEnd || length > maxDocumentLength) giveUp();
    return undefined;
  };
  return { line: (line: string) => (pending.length > 0 ? goOn(line) : read(line)), end: giveUp };
}

function parse(line: string): { readonly value: unknown } | undefined {
  const first = line.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    return { value: JSON.parse(line.charCodeAt(0) === byteOrderMark ? line.slice(1) : line) as unknown };
  } catch {
    return undefined;
  }
}
