import { scrub } from '../../src/base/index.ts';

/** Text of any origin: without terminal escapes, and with marks that change its direction made visible. */
export function clean(text: string): string {
  return scrub(text);
}

/** One line of it. */
export function cleanLine(text: string): string {
  return scrub(text).replaceAll(/\s+/gu, ' ').trim();
}

/** Agent's words: always quoted, always text. */
export function Said({ text }: { readonly text: string }) {
  return <blockquote class="said">{clean(text)}</blockquote>;
}

/** Text with `code` in it, as ralphd writes it. */
export function Phrase({ text }: { readonly text: string }) {
  const parts = clean(text).split(/`([^`]+)`/u);
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
