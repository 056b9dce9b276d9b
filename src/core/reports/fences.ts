const most = 1_000;

/** Tells what a text shows between two lines of backticks, as a page about test runners does: it is quoted. */
export function createFences() {
  const closed: (readonly [number, number])[] = [];
  let openedAt: number | undefined;
  return {
    read: (line: string, at: number): void => {
      if (!line.startsWith('```') || !/^```[\w-]*$/.test(line)) return;
      if (openedAt === undefined) openedAt = at;
      else if (line !== '```') openedAt = at;
      else {
        if (closed.length < most) closed.push([openedAt, at]);
        openedAt = undefined;
      }
    },
    /** Whether the line stands between such lines; one that nobody closes quotes nothing. */
    quoted: (at: number): boolean => closed.some(([from, to]) => from < at && at < to),
  };
}
