import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { clean } from './text.tsx';

/** A whole command with a button that copies it. */
export function CommandBox({ command, label }: { readonly command: string; readonly label?: string }) {
  const { isCopied, copy } = useCopy(command);
  return (
    <span class="command-box">
      {/* Scrolls sideways, so it can take the focus. */}
      <code tabIndex={0} role="group" aria-label={label ?? 'Command'}>
        {clean(command)
          .split(' ')
          .map((word, index) => (
            // In pieces, because browsers break lines after the hyphens of an option.
            <Fragment key={index}>
              {index > 0 && ' '}
              <span>{word}</span>
            </Fragment>
          ))}
      </code>
      <button type="button" class="copy" aria-label={`Copy ${label ?? 'the command'}`} onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

const shownMs = 2_000;

/** Copies a text, and says for a moment that it did. */
export function useCopy(text: string): {
  readonly isCopied: boolean;
  readonly copy: (event: { readonly currentTarget: Element }) => void;
} {
  const [isCopied, setCopied] = useState(false);
  const copy = (event: { readonly currentTarget: Element }) => {
    // Without TLS, a page from another machine has no clipboard: the text is selected instead.
    if (!window.isSecureContext) return selectBeside(event.currentTarget);
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), shownMs);
    });
  };
  return { isCopied, copy };
}

function selectBeside(button: Element): void {
  const code = button.parentElement?.querySelector('code');
  if (code !== null && code !== undefined) getSelection()?.selectAllChildren(code);
}

/** Copies the command that has the focus, or the first one of the view. */
export function copyFocused(): void {
  const focused = document.activeElement?.closest('.command-box');
  (focused ?? document.querySelector('main .command-box'))?.querySelector<HTMLButtonElement>('button.copy')?.click();
}
