/** What a script needs to know about a request. */
export interface Conversation {
  readonly model: string;
  readonly stream: boolean;
  /** Names of the offered tools; none in side requests, such as for a title. */
  readonly tools: readonly string[];
  /** The user's latest message. */
  readonly prompt: string;
  /** All text from the user and the assistant. */
  readonly history: string;
  /** The number of tool results since the user's latest message. */
  readonly toolResults: number;
}

/** One message or tool result, in order. */
export type Turn =
  | { readonly by: 'user' | 'assistant'; readonly text: string }
  | { readonly by: 'tool'; readonly count: number };

/** Summarises the turns of a request. */
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

/** The iteration number in ralphd's prompt, 0 if there is none. */
export function iterationOf({ prompt }: Conversation): number {
  return Number(/RALPHD LOOP (\d+)\//u.exec(prompt)?.[1] ?? 0);
}
