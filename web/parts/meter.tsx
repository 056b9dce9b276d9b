import { useEffect, useRef } from 'preact/hooks';

interface ShareProps {
  /** 0 to 1. */
  readonly share: number;
  /** Where on the bar something happens, 0 to 1. */
  readonly mark?: number;
  readonly tone?: 'plain' | 'proof' | 'unknown';
}

/** A bar; what it shows is said in words beside it. */
export function Share({ share, mark, tone = 'plain' }: ShareProps) {
  return (
    <span class={`share share-${tone}`} aria-hidden="true">
      <span class="share-used" style={{ width: percent(share) }} />
      {mark !== undefined && <span class="share-mark" style={{ left: percent(mark) }} />}
    </span>
  );
}

/** A share as the style sheet takes it. */
export function percent(share: number): string {
  return `${Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100}%`;
}

const maxPips = 8;

/** A streak as boxes that can be counted; many become a bar. */
export function Pips({ count, max }: { readonly count: number; readonly max: number }) {
  if (max > maxPips) return <Share share={count / max} />;
  return (
    <span class={count >= max ? 'pips pips-full' : 'pips'} aria-hidden="true">
      {Array.from({ length: max }, (_, index) => (
        <span key={index} class={index < count ? 'pip pip-on' : 'pip'} />
      ))}
    </span>
  );
}

/** Says a sentence aloud when it changes, and only then. */
export function Announced({ text }: { readonly text: string }) {
  const place = useRef<HTMLParagraphElement>(null);
  const last = useRef(text);
  useEffect(() => {
    if (last.current === text || place.current === null) return;
    last.current = text;
    place.current.textContent = text;
  }, [text]);
  return <p ref={place} class="for-readers" role="status" aria-live="polite" />;
}
