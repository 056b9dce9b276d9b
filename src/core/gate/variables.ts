export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a line has assigned so far; a branch or a loop may give one several values. */
export interface Variables {
  readonly environment: Environment;
  readonly assigned: Map<string, readonly string[]>;
}

const maxValues = 200;
const maxValueLength = 4_096;
/** `$NAME`, `${NAME}`, and `${NAME:-default}`. */
const reference = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?[-=]([^{}$]*))?\})/g;

/** Records an assignment such as `CHECK=./check.sh`. */
export function recordAssignment(variables: Variables, word: string): void {
  const [, name, value = ''] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word) ?? [];
  if (name === undefined) return;
  const values = expandVariables([value], variables).map((words) => words.join(' '));
  addValues(variables, name, values);
}

export function addValues({ assigned }: Variables, name: string, values: readonly string[]): void {
  const short = values.map((value) => value.slice(0, maxValueLength));
  assigned.set(name, [...(assigned.get(name) ?? []), ...short].slice(0, maxValues));
}

/** The words of a command with its variables expanded: one list for each possible value of a variable. */
export function expandVariables(words: readonly string[], variables: Variables): readonly (readonly string[])[] {
  const used = words.flatMap((word) => [...word.matchAll(reference)].map(([, bare, braced]) => bare ?? braced ?? ''));
  const several = used.find((name) => (variables.assigned.get(name)?.length ?? 0) > 1);
  const choices = several === undefined ? [undefined] : (variables.assigned.get(several) ?? []);
  return choices.map((choice) =>
    words.flatMap((word) => {
      const value = word.replaceAll(
        reference,
        (whole, bare: string | undefined, braced: string | undefined, other?: string) => {
          const name = bare ?? braced ?? '';
          const own = name === several ? choice : variables.assigned.get(name)?.[0];
          return own ?? variables.environment[name] ?? other ?? whole;
        },
      );
      const isVariable = value !== word && /^\$(?:\w+|\{[^{}]*\})$/.test(word);
      return isVariable ? value.split(/\s+/).filter((each) => each !== '') : [value.slice(0, maxValueLength)];
    }),
  );
}
