const maxFences = 1_000;

/** Finds text between two lines of backticks, as on a page about test runners: it is a quotation. */
export function createFences() {
  const closed: (readonly [number, number])[] = [];
  let openedAt: number | undefined;
  return {
    read: (line: string, at: number): void => {
      if (!line.startsWith('```') || !/^```[\w-]*$/.test(line)) return;
      if (openedAt === undefined) openedAt = at;
      else if (line !== '```') openedAt = at;
      else {
        if (closed.length < maxFences) closed.push([openedAt, at]);
        openedAt = undefined;
      }
    },
    /** Whether the line is inside a closed fence; an unclosed one quotes nothing. */
    quoted: (at: number): boolean => closed.some(([from, to]) => from < at && at < to),
  };
}
