import { createCell } from '../state/cell.ts';

/** Light, dark, or what the system says. */
export type Theme = 'light' | 'dark' | 'system';

const storedAs = 'ralphd-theme';

/** The theme of this browser. */
export const theme = createCell<Theme>(read());

/** Shows the page in the theme that was chosen last. */
export function startTheme(): void {
  apply(theme.value);
}

/** Changes between light and dark. */
export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  localStorage.setItem(storedAs, next);
  theme.set(next);
  apply(next);
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  if (theme.value !== 'system') return theme.value === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

function read(): Theme {
  const stored = localStorage.getItem(storedAs);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
