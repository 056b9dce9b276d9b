import type { IterationSign } from '../../src/core/index.ts';
import { counted } from '../words/amounts.ts';
import { signLooks } from '../words/signs.ts';

interface TrailProps {
  readonly trail: readonly IterationSign[];
  /** How many iterations there were in all. */
  readonly total: number;
}

/** The newest iterations as signs, oldest first. */
export function Trail({ trail, total }: TrailProps) {
  if (trail.length === 0) return <span class="trail quiet">no iteration yet</span>;
  const earlier = total - trail.length;
  return (
    <span class="trail" role="img" aria-label={trailText(trail)}>
      {earlier > 0 && <span class="trail-more">{earlier}+</span>}
      {trail.map((sign, index) => (
        <Sign key={index} sign={sign} />
      ))}
    </span>
  );
}

/** The result of an iteration in one sign. */
export function Sign({ sign }: { readonly sign: IterationSign }) {
  const { mark, look } = signLooks[sign];
  return (
    <span class={`sign sign-${look}`} aria-hidden="true">
      {mark}
    </span>
  );
}

function trailText(trail: readonly IterationSign[]): string {
  const counts = new Map<string, number>();
  for (const sign of trail) counts.set(signLooks[sign].word, (counts.get(signLooks[sign].word) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `Newest ${counted(trail.length, 'iteration')}: ${parts.join(', ')}`;
}
