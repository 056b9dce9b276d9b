import { useState } from 'preact/hooks';
import { clean } from './text.tsx';

/** A whole command with a button that copies it. */
export function CommandBox({ command, label }: { readonly command: string; readonly label?: string }) {
  const { isCopied, copy } = useCopy(command);
  return (
    <span class="command-box">
      {/* Scrolls sideways, so it can take the focus. */}
      <code tabIndex={0} role="group" aria-label={label ?? 'Command'}>
        {clean(command)}
      </code>
      <button type="button" class="copy" aria-label={`Copy ${label ?? 'the command'}`} onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

const shownMs = 2_000;

/** Copies a text, and says for a moment that it did. */
export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    void copyText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), shownMs);
    });
  };
  return { isCopied, copy };
}

/** On a page without TLS that is not local, there is no clipboard to write to, so the text is selected and copied. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Copies the command that has the focus, or the first one of the view. */
export function copyFocused(): void {
  const focused = document.activeElement?.closest('.command-box');
  (focused ?? document.querySelector('main .command-box'))?.querySelector<HTMLButtonElement>('button.copy')?.click();
}
