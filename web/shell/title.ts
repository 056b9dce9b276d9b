import { useEffect } from 'preact/hooks';

/** Names the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ralphd`;
  }, [title]);
}
