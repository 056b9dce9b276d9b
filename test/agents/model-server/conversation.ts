/** What a script needs to know of a request. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  /** Names of the tools on offer; none in the requests that agents make beside the work, for a title and the like. */
  readonly tools: readonly string[];
  /** What the user said last. */
  readonly prompt: string;
  /** Everything that the user and the assistant said. */
  readonly history: string;
  /** How many tools have answered since the user spoke last. */
  readonly toolResults: number;
}

/** One thing said or done, in order. */
export type Turn =
  | { readonly by: 'user' | 'assistant'; readonly text: string }
  | { readonly by: 'tool'; readonly count: number };

/** Sums up the turns of a request. */
export function conversationOf(
  turns: readonly Turn[],
  rest: Pick<Conversation, 'model' | 'stream' | 'tools'>,
): Conversation {
  const lastUser = turns.findLastIndex(({ by }) => by === 'user');
  const since = turns.slice(lastUser + 1);
  const spoken = turns.flatMap((turn) => (turn.by === 'tool' ? [] : [turn.text]));
  const last = turns[lastUser];
  return {
    ...rest,
    prompt: last?.by === 'user' ? last.text : '',
    history: spoken.join('\n'),
    toolResults: since.reduce((sum, turn) => sum + (turn.by === 'tool' ? turn.count : 0), 0),
  };
}

/** The number of the iteration that ralphd's prompt names, 0 where it names none. */
export function iterationOf({ prompt }: Conversation): number {
  return Number(/RALPHD LOOP (\d+)\//u.exec(prompt)?.[1] ?? 0);
}
