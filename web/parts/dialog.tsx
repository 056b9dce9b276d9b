import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Something that has to be answered or closed first. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close}>
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          ×
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** A question before something that cannot be undone. */
export function Confirm({ title, text, action, confirm, close }: ConfirmProps) {
  const act = () => {
    close();
    confirm();
  };
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={act}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
