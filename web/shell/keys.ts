import { useLayoutEffect } from 'preact/hooks';

/** What single keys do, by the key. */
export type Keys = Readonly<Record<string, () => void>>;

const layers: Keys[] = [];
const storedAs = 'ralphd-single-keys';

/** Whether single keys act; some speech input and some people press them by accident. */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(storedAs) !== 'off';
}

/** Turns single keys on or off in this browser. */
export function setSingleKeys(isOn: boolean): void {
  localStorage.setItem(storedAs, isOn ? 'on' : 'off');
}

/** Lets single keys act while a component is shown. */
export function useKeys(keys: Keys): void {
  // Before anything is drawn: what is seen can be pressed.
  useLayoutEffect(() => {
    layers.push(keys);
    return () => void layers.splice(layers.indexOf(keys), 1);
  });
}

/** Listens to the keyboard. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    if (!hasSingleKeys() && event.key !== 'Escape') return;
    const action = layers.findLast((keys) => keys[event.key] !== undefined)?.[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

/** A field takes its keys itself, and so do a slider and an open menu. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, [role="slider"], [role="menu"], [role="tablist"]') !== null;
}
