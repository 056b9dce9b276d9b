/** Moves the focus to the next or the previous row of the view; from nowhere, to the first. */
export function moveFocus(step: 1 | -1, rows = 'main [data-row]'): void {
  const all = [...document.querySelectorAll<HTMLElement>(rows)];
  const place = all.findIndex((row) => row === document.activeElement);
  const next = place === -1 ? (step === 1 ? 0 : all.length - 1) : (place + step + all.length) % all.length;
  all[next]?.focus();
  all[next]?.scrollIntoView({ block: 'nearest' });
}
