const maxAnswers = 100;

/** Answers that hold as long as what they follow from is unchanged. */
export interface Memory<Answer> {
  get(question: string, basis: string): Answer | undefined;
  set(question: string, basis: string, answer: Answer): void;
}

/** Remembers the newest answers. */
export function createMemory<Answer>(): Memory<Answer> {
  const known = new Map<string, { readonly basis: string; readonly answer: Answer }>();
  return {
    get(question, basis) {
      const found = known.get(question);
      return found?.basis === basis ? found.answer : undefined;
    },
    set(question, basis, answer) {
      known.delete(question);
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= maxAnswers) known.delete(oldest);
      known.set(question, { basis, answer });
    },
  };
}
