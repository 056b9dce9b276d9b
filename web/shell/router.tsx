import type { ComponentChildren } from 'preact';
import { createCell, useCell } from '../state/cell.ts';

/** What the address says to show. */
export type Route =
  | { readonly view: 'fleet' }
  | { readonly view: 'loop'; readonly key: string }
  | { readonly view: 'iteration'; readonly key: string; readonly iteration: number; readonly attempt?: number }
  | { readonly view: 'report'; readonly since: string }
  | { readonly view: 'numbers' }
  | { readonly view: 'unknown' };

const route = createCell<Route>(routeOf(location.pathname, location.search));

/** The route that the address names. */
function routeOf(path: string, search: string): Route {
  const query = new URLSearchParams(search);
  if (path === '/') return { view: 'fleet' };
  if (path === '/report') return { view: 'report', since: query.get('since') ?? '18:00' };
  if (path === '/numbers') return { view: 'numbers' };
  const [, key, , number] = /^\/loops\/([a-z0-9~-]+)(\/iterations\/([1-9][0-9]{0,8}))?$/u.exec(path) ?? [];
  if (key === undefined) return { view: 'unknown' };
  if (number === undefined) return { view: 'loop', key };
  const attempt = Number(query.get('attempt'));
  return { view: 'iteration', key, iteration: Number(number), ...(attempt > 0 ? { attempt } : {}) };
}

/** The route; draws again when it changes. */
export function useRoute(): Route {
  return useCell(route);
}

/** Shows another view, as a link does. */
export function go(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(undefined, '', path);
  else history.pushState(undefined, '', path);
  route.set(routeOf(location.pathname, location.search));
  if (replace) return;
  scrollTo(0, 0);
  // A reader of the screen continues with the new view.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true }));
}

/** Follows the buttons of the browser. */
export function startRouter(): void {
  addEventListener('popstate', () => route.set(routeOf(location.pathname, location.search)));
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-current'?: 'page' | undefined;
  /** The keys j and k move to it. */
  readonly 'data-row'?: string;
}

/** A link to another view. Other tabs and windows work as with any link. */
export function Link({ to, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
