import type { Numbers } from '../../src/protocol/index.ts';
import { Share } from '../parts/meter.tsx';
import { day as dayText } from '../words/times.ts';
import { costText } from './results.tsx';

const shown = 30;

/** The newest days on which loops started or ended. */
export function Days({ days }: { readonly days: Numbers['days'] }) {
  if (days.length === 0) return null;
  const newest = days.slice(-shown).toReversed();
  const top = Math.max(1, ...newest.map(({ ended }) => ended));
  return (
    <section aria-labelledby="days-title" class="number-section">
      <h2 class="section-title" id="days-title">
        By day, newest first
      </h2>
      <ul class="days">
        {newest.map(({ day, started, ended, proven, cost }) => (
          <li key={day}>
            <span>{dayText(`${day}T12:00:00`)}</span>
            <Share share={proven / top} tone="proof" />
            <span>
              {proven} proven of {ended} ended, {started} started
            </span>
            <span class="number">{costText(cost)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
