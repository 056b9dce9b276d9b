import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useKeys } from '../shell/keys.ts';

/** One entry of a menu, with its consequence. */
export interface MenuEntry {
  readonly name: string;
  readonly does: string;
  readonly isDangerous?: boolean;
  readonly act: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly isDisabled: boolean;
  readonly button: { readonly current: HTMLButtonElement | null };
}

/** Actions behind a button. Arrow keys move, escape closes. */
export function Menu({ label, entries, isDisabled, button }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  // Before anything is drawn: a key pressed right after must reach the menu.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    list.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const outside = (event: PointerEvent) => {
      if (
        event.target instanceof Node &&
        list.current?.contains(event.target) !== true &&
        button.current?.contains(event.target) !== true
      )
        setOpen(false);
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [isOpen]);
  useKeys(isOpen ? { Escape: close } : {});
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault();
      return close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return undefined;
    event.preventDefault();
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const place = items.findIndex((item) => item === document.activeElement);
    items[(place + step + items.length) % items.length]?.focus();
  };
  return (
    <div class="menu">
      <button
        type="button"
        ref={button}
        class="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        disabled={isDisabled || entries.length === 0}
        onClick={() => setOpen(!isOpen)}
      >
        •••
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label} ref={list} onKeyDown={onKeyDown}>
          {entries.map(({ name, does, isDangerous, act }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={isDangerous === true ? 'menu-item danger-item' : 'menu-item'}
              onClick={() => {
                close();
                act();
              }}
            >
              <strong>{name}</strong>
              <span>{does}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
