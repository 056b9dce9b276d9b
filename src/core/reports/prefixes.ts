const forms = [
  // A task of a monorepo: "packages/a test: …" or "web:test: …".
  /^([\w@./-]{1,80}[: ]test(?::[\w-]{1,40})?): ?(.*)$/,
  // A service of a composition: "db-1  | …".
  /^([\w.-]{1,60}) {1,40}\| ?(.*)$/,
  // A time stamp, as build servers put before every line.
  /^(\d{4})-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?Z? (.*)$/,
];

/** A line that somebody else has put a prefix before: whose it is, and what it was. */
export function splitPrefix(line: string): { readonly owner: string; readonly text: string } | undefined {
  for (const form of forms) {
    const match = form.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) return { owner: match[1], text: match[2] };
  }
  return undefined;
}
