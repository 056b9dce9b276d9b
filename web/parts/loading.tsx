import { useEffect, useState } from 'preact/hooks';

const quietMs = 300;

/** Outlines of what will be here, once it takes long enough to be noticed. They stand still. */
export function Loading({ text }: { readonly text: string }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), quietMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return <h1 class="for-readers">{text}</h1>;
  return (
    <div class="loading">
      <h1>{text}</h1>
      {[1, 2, 3, 4].map((row) => (
        <div key={row} class="outline" aria-hidden="true" />
      ))}
    </div>
  );
}
