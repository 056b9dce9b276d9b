const maxTagLength = 64 * 1024;

/** Finds the tags of an XML document that arrives line by line; text, comments and CDATA are skipped. */
export interface TagScanner {
  scan(line: string, take: (tag: string) => void): void;
  /** Whether the next line begins within a comment or CDATA, which may contain anything. */
  isQuoting(): boolean;
}

/** Starts at the beginning of a document. */
export function createTagScanner(): TagScanner {
  let within: 'text' | 'tag' | 'cdata' | 'comment' = 'text';
  let tag = '';
  let quote = '';

  const scan = (line: string, take: (tag: string) => void): void => {
    let from = 0;
    while (from < line.length) {
      if (within === 'text') from = leaveText(line, from);
      else if (within === 'tag') from = leaveTag(line, from, take);
      else from = leaveQuotation(line, from, within === 'cdata' ? ']]>' : '-->');
    }
    if (within === 'tag' && tag.length < maxTagLength) tag += '\n';
  };
  return { scan, isQuoting: () => within === 'cdata' || within === 'comment' };

  function leaveText(line: string, from: number): number {
    const start = line.indexOf('<', from);
    if (start < 0) return line.length;
    tag = '';
    quote = '';
    within = line.startsWith('<![CDATA[', start) ? 'cdata' : line.startsWith('<!--', start) ? 'comment' : 'tag';
    return start + { tag: 1, comment: 4, cdata: 9 }[within];
  }

  function leaveQuotation(line: string, from: number, mark: string): number {
    const end = line.indexOf(mark, from);
    if (end < 0) return line.length;
    within = 'text';
    return end + mark.length;
  }

  /** A tag ends with the next `>` outside of quotes. */
  function leaveTag(line: string, from: number, take: (tag: string) => void): number {
    let at = from;
    for (; at < line.length; at += 1) {
      const character = line.charAt(at);
      if (quote !== '') quote = character === quote ? '' : quote;
      else if (character === '"' || character === "'") quote = character;
      else if (character === '>') break;
    }
    if (tag.length < maxTagLength) tag += line.slice(from, Math.min(at, from + maxTagLength));
    if (at === line.length) return at;
    within = 'text';
    take(tag);
    return at + 1;
  }
}
