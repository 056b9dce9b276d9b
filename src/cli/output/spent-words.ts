import type { ShownLoop, Spent } from '../../core/index.ts';

/** What a loop has used, in one line; nothing before its first run. What the agent did not tell is unknown, not 0. */
export function spentText({ spent }: Pick<ShownLoop, 'spent'>): string | undefined {
  if (spent.runs === 0) return undefined;
  const parts = kinds.map(({ name, used, untold, show }) => {
    if (untold(spent) === spent.runs) return `${name} unknown`;
    return `${untold(spent) === 0 ? '' : 'at least '}${show(used(spent))}`;
  });
  return kinds.every(({ untold }) => untold(spent) === spent.runs)
    ? 'unknown: the agent does not tell'
    : parts.join(', ');
}

/** The same for programs: `null` for what no run has told. */
export function spentObject(spent: Spent): Record<string, number | null> {
  const isUnknown = ({ untold }: Kind) => spent.runs > 0 && untold(spent) === spent.runs;
  return kinds.reduce<Record<string, number | null>>(
    (object, kind) => ({ ...object, [kind.key]: isUnknown(kind) ? null : kind.used(spent) }),
    { ...spent },
  );
}

interface Kind {
  readonly key: keyof Spent;
  readonly name: string;
  readonly used: (spent: Spent) => number;
  readonly untold: (spent: Spent) => number;
  readonly show: (amount: number) => string;
}

const kinds: readonly Kind[] = [
  {
    key: 'tokens',
    name: 'tokens',
    used: ({ tokens }) => tokens,
    untold: ({ unreportedTokens }) => unreportedTokens,
    show: (amount) => `${amount} tokens`,
  },
  {
    key: 'outputTokens',
    name: 'output',
    used: ({ outputTokens }) => outputTokens,
    untold: ({ unreportedOutputTokens }) => unreportedOutputTokens,
    show: (amount) => `${amount} of output`,
  },
  {
    key: 'toolCalls',
    name: 'tool calls',
    used: ({ toolCalls }) => toolCalls,
    untold: ({ unreportedToolCalls }) => unreportedToolCalls,
    show: (amount) => `${amount} tool ${amount === 1 ? 'call' : 'calls'}`,
  },
  {
    key: 'costUsd',
    name: 'cost',
    used: ({ costUsd }) => costUsd,
    untold: ({ unreportedCost }) => unreportedCost,
    show: (amount) => `$${amount.toFixed(2)}`,
  },
];
