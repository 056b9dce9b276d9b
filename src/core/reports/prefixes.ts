const time = '\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d)?';
const stamp = `(?:\\d{4}-\\d\\d-\\d\\d[T ]|[A-Z][a-z]{2} [ \\d]\\d )?${time}`;
const maxPrefixLength = 300;

const forms = [
  // A time stamp, as build servers put before every line; one of them adds a stream number, as in "01O ".
  new RegExp(`^(?:\\[${stamp}\\]|${stamp})(?: \\d\\d[OE](?=[ +]|$))?(?:$|[ +](?<rest>.*))`),
  // The log of a job: its name, the name of the step, and a time stamp, with tabs between them.
  new RegExp(`^(?<owner>[^\\t]{1,100}\\t[^\\t]{1,100})\\t(?:\\ufeff)?${stamp}(?:$| (?<rest>.*))`),
  // A step of a container's build: "#12 1.234 …".
  /^(?<owner>#\d{1,5}) \d{1,6}\.\d{1,3}(?:$| (?<rest>.*))/,
  // A task of a monorepo: "packages/a test: …", "web:test: …" or "@scope/web: …".
  /^(?<owner>[\w@./-]{1,80}(?:[: ]test(?::[\w-]{1,40})?)?):(?:$| (?<rest>.*))/,
  // A task by number or name: "[0] …", "[test:unit] …" or "[@scope/web]: …".
  /^\[(?<owner>[\w@][\w@:./-]{0,80}) {0,20}\]:?(?:$| (?<rest>.*))/,
  // A task that is drawn into a tree: "│ …".
  /^│ ?(?<rest>.*)$/,
  // A service of a composition: "db-1  | …".
  /^(?<owner>[\w.@/-]{1,60}) {0,40}[|│] ?(?<rest>.*)$/,
];

/** Splits a line that another program prefixed: the owner of the line, and the original text. */
export function splitPrefix(line: string): { readonly owner: string; readonly text: string } | undefined {
  const head = line.slice(0, maxPrefixLength);
  for (const form of forms) {
    const match = form.exec(head);
    // On an empty line, the space after the prefix may have been trimmed.
    if (match !== null)
      return {
        owner: match.groups?.['owner'] ?? '',
        text: `${match.groups?.['rest'] ?? ''}${line.slice(maxPrefixLength)}`,
      };
  }
  return undefined;
}
