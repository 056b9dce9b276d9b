/** Values of variables by their names, as the caller's environment has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a line has assigned so far; several values where branches or a loop give it several. */
export interface Variables {
  readonly environment: Environment;
  readonly assigned: Map<string, readonly string[]>;
}

const maxValues = 200;
const longestValue = 4_096;
/** `$NAME`, `${NAME}`, and `${NAME:-value}` with what it is otherwise. */
const use = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?[-=]([^{}$]*))?\})/g;

/** Notes a word such as `CHECK=./check.sh`. */
export function assign(variables: Variables, word: string): void {
  const [, name, value = ''] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word) ?? [];
  if (name !== undefined)
    give(
      variables,
      name,
      withValues([value], variables).map((words) => words.join(' ')),
    );
}

/** Adds values to a variable. */
export function give({ assigned }: Variables, name: string, values: readonly string[]): void {
  const short = values.map((value) => value.slice(0, longestValue));
  assigned.set(name, [...(assigned.get(name) ?? []), ...short].slice(0, maxValues));
}

/** The words of a command with the values of its variables: one list for each value that a variable may have. */
export function withValues(words: readonly string[], variables: Variables): readonly (readonly string[])[] {
  const used = words.flatMap((word) => [...word.matchAll(use)].map(([, bare, braced]) => bare ?? braced ?? ''));
  const several = used.find((name) => (variables.assigned.get(name)?.length ?? 0) > 1);
  const choices = several === undefined ? [undefined] : (variables.assigned.get(several) ?? []);
  return choices.map((choice) =>
    words.flatMap((word) => {
      const value = word.replaceAll(
        use,
        (whole, bare: string | undefined, braced: string | undefined, other?: string) => {
          const name = bare ?? braced ?? '';
          const own = name === several ? choice : variables.assigned.get(name)?.[0];
          return own ?? variables.environment[name] ?? other ?? whole;
        },
      );
      const isVariable = value !== word && /^\$(?:\w+|\{[^{}]*\})$/.test(word);
      return isVariable ? value.split(/\s+/).filter((each) => each !== '') : [value.slice(0, longestValue)];
    }),
  );
}
