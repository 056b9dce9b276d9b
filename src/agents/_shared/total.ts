import type { UsageScope } from './event.ts';

/** A total, and whether it counts this run alone or its whole session. */
export interface Total<Value> {
  readonly value: Value;
  readonly of: 'run' | 'session';
}

/** Adds up numbers of different scope; the widest scope that was reported counts. */
export interface TotalBuilder<Value> {
  add(value: Value, scope: UsageScope): void;
  total(): Total<Value> | undefined;
}

const maxMessages = 10_000;

/** Starts a total as unknown, which is not 0. */
export function createTotal<Value>(sum: (one: Value, other: Value) => Value): TotalBuilder<Value> {
  const messages = new Map<string, Value>();
  let steps: Value | undefined;
  let whole: Total<Value> | undefined;
  const addStep = (value: Value) => {
    steps = steps === undefined ? value : sum(steps, value);
  };
  return {
    add(value, scope) {
      switch (scope.of) {
        case 'run':
        case 'session':
          whole = { value, of: scope.of };
          return;
        case 'step':
          return addStep(value);
        case 'message': {
          messages.set(scope.id, value);
          const [oldest] = messages.size > maxMessages ? messages : [];
          if (oldest === undefined) return;
          messages.delete(oldest[0]);
          addStep(oldest[1]);
        }
      }
    },
    total() {
      if (whole !== undefined) return whole;
      const parts = [...messages.values(), ...(steps === undefined ? [] : [steps])];
      return parts.length === 0 ? undefined : { value: parts.reduce(sum), of: 'run' };
    },
  };
}
