import { memo } from '../../parts/memo.ts';
import { percent } from '../../parts/meter.tsx';
import { shortDuration } from '../../words/amounts.ts';
import { signLooks } from '../../words/signs.ts';
import { clock } from '../../words/times.ts';
import { type DrawnPoint, type NightLayout, ticksOf } from './layout.ts';

interface TrackProps {
  readonly layout: NightLayout;
  /** Of the whole figure, in pixels. */
  readonly width: number;
  /** The index of the chosen block. */
  readonly chosen: number;
}

const namedPx = 40;
const signedPx = 13;

/** Blocks as long as the iterations took. */
export const IterationTrack = memo(({ layout, width, chosen }: TrackProps) => {
  const frame = layout.blocks[chosen];
  return (
    <div class="track track-iterations" aria-hidden="true">
      <Rest now={layout.now} />
      {layout.waits.map(({ from, to, ms }) => (
        <span key={from} class="night-wait" style={{ left: percent(from), width: percent(to - from) }}>
          {(to - from) * width > 64 ? `○ ${shortDuration(ms)}` : (to - from) * width > 16 ? '○' : ''}
        </span>
      ))}
      {layout.blocks.map(({ block, from, to }) => {
        const { mark, look } = signLooks[block.sign];
        const room = (to - from) * width;
        const name = block.first === block.last ? `${mark} ${block.first}` : mark;
        return (
          <span
            key={block.first}
            class={`night-block sign-${look}`}
            style={{ left: percent(from), width: percent(to - from) }}
          >
            {room >= namedPx ? name : room >= signedPx ? mark : ''}
            {block.guided && <span class="night-guided" />}
          </span>
        );
      })}
      {frame !== undefined && (
        <span class="night-frame" style={{ left: percent(frame.from), width: percent(frame.to - frame.from) }} />
      )}
    </div>
  );
});

const labelPx = 34;
const dotPx = 16;

/** The failing tests where they were counted, held in between. */
export const FailingTrack = memo(({ layout, width }: TrackProps) => {
  const { points, now } = layout;
  const labelled = labelledOf(points, width);
  const last = points.at(-1);
  const isDense = points.length * dotPx > width;
  return (
    <div class="track track-failing" aria-hidden="true">
      <Rest now={now} />
      <svg class="failing-line" viewBox="0 0 1000 100" preserveAspectRatio="none">
        <path class="failing-area" d={`${linePath(points, now)}V100H${(points[0]?.at ?? 0) * 1000}Z`} />
        <path class="failing-held" d={linePath(points, now)} />
      </svg>
      {points
        .filter((point) => !isDense || point.isWorse || labelled.has(point))
        .map((point) => (
          <span
            key={point.at}
            class={point.isWorse ? 'failing-point worse' : 'failing-point'}
            style={{ left: percent(point.at), top: percent(topOf(point)) }}
          >
            {labelled.has(point) && <span class="failing-label">{point.failed}</span>}
          </span>
        ))}
      {last !== undefined && (
        <span
          class={now > 0.85 ? 'failing-now failing-now-left' : 'failing-now'}
          style={{ left: percent(now), top: percent(topOf(last)) }}
        >
          {last.failed === 0 ? 'all pass' : `${last.failed} fail`}
        </span>
      )}
    </div>
  );
});

/** Some room is left above the highest and below the lowest point. */
function topOf({ height }: DrawnPoint): number {
  return 0.14 + (1 - height) * 0.74;
}

function linePath(points: readonly DrawnPoint[], now: number): string {
  const steps = points.map((point, index) => {
    const [x, y] = [Math.round(point.at * 1000), Math.round(topOf(point) * 100)];
    return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
  });
  return `${steps.join('')}H${Math.round(now * 1000)}`;
}

function labelledOf(points: readonly DrawnPoint[], width: number): ReadonlySet<DrawnPoint> {
  const kept = new Set<DrawnPoint>();
  let lastPx = -labelPx;
  // The newest has its label beside now.
  for (const point of points.slice(0, -1)) {
    if (point.at * width - lastPx < labelPx) continue;
    kept.add(point);
    lastPx = point.at * width;
  }
  return kept;
}

/** What each iteration cost; dashed where none was reported. */
export const CostTrack = memo(({ layout: { blocks, maxUsd, now } }: TrackProps) => (
  <div class="track track-cost" aria-hidden="true">
    <Rest now={now} />
    {blocks.map(({ block, from, to }) => {
      const isUnknown = block.costUsd === null || !block.isCostWhole;
      const height = block.costUsd === null || maxUsd === 0 ? 0.3 : Math.max(0.04, block.costUsd / maxUsd);
      if (block.sign === 'open' && block.costUsd === null) return null;
      return (
        <span
          key={block.first}
          class={isUnknown ? 'cost-bar cost-unknown' : 'cost-bar'}
          style={{ left: percent(from), width: percent(to - from), height: percent(height * 0.9) }}
        >
          {isUnknown && block.costUsd === null ? '?' : ''}
        </span>
      );
    })}
  </div>
));

function Rest({ now }: { readonly now: number }) {
  return <span class="night-rest" style={{ left: percent(now), right: '0' }} />;
}

interface AxisProps extends TrackProps {
  readonly nowMs: number;
  readonly isMoving: boolean;
}

/** When everything was, and when it ends at the latest. */
export function AxisLabels({ layout, width, nowMs, isMoving }: AxisProps) {
  const { axis, now, end } = layout;
  const nowText =
    axis.by === 'iteration'
      ? `now ${axis.count}`
      : isMoving
        ? `now ${clock(nowMs)}`
        : `until ${clock(axisNow(layout))}`;
  const isCrowded = end !== undefined && (1 - now) * width < 210;
  return (
    <div class="track track-axis" aria-hidden="true">
      {ticksOf(layout, width).map(({ at, text }) => (
        <span key={text} class="tick" style={{ left: percent(at) }}>
          {text}
        </span>
      ))}
      <span
        class={now > 0.9 ? 'tick tick-now tick-right' : now < 0.1 ? 'tick tick-now tick-left' : 'tick tick-now'}
        style={{ left: percent(now) }}
      >
        {nowText}
      </span>
      {end !== undefined && !isCrowded && <span class="tick tick-end">{end}</span>}
    </div>
  );
}

function axisNow({ axis, now }: NightLayout): number {
  return axis.by === 'time' ? axis.startMs + now * (axis.endMs - axis.startMs) : 0;
}
