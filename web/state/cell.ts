import { useEffect, useState } from 'preact/hooks';

/** A value that views follow. However often it changes, they are drawn at most once per frame. */
export interface Cell<Value> {
  readonly value: Value;
  set(value: Value): void;
  follow(listener: () => void): () => void;
}

const waiting = new Set<() => void>();
let isPlanned = false;
const hiddenMs = 1_000;

/** A cell with its first value. */
export function createCell<Value>(first: Value): Cell<Value> {
  const listeners = new Set<() => void>();
  let value = first;
  return {
    get value() {
      return value;
    },
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) waiting.add(listener);
      planDrawing();
    },
    follow(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        waiting.delete(listener);
      };
    },
  };
}

/** The value of a cell; draws the component again when it changes. */
export function useCell<Value>(cell: Cell<Value>): Value {
  const [, draw] = useState({});
  useEffect(() => {
    draw({});
    return cell.follow(() => draw({}));
  }, [cell]);
  return cell.value;
}

function planDrawing(): void {
  if (isPlanned) return;
  isPlanned = true;
  const draw = () => {
    isPlanned = false;
    const all = [...waiting];
    waiting.clear();
    for (const listener of all) listener();
  };
  // A hidden page gets no frames, but its title has to stay true.
  if (document.hidden) setTimeout(draw, hiddenMs);
  else requestAnimationFrame(draw);
}
