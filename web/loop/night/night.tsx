import { useMemo, useRef } from 'preact/hooks';
import { useWidth } from '../../parts/use-width.ts';
import type { ShownLoop } from '../../state/loop.ts';
import { isMoving } from '../../words/signs.ts';
import { blocksOf } from './blocks.ts';
import { blockAt, type NightLayout, nightLayout } from './layout.ts';
import { Readout } from './readout.tsx';
import { AxisLabels, CostTrack, FailingTrack, IterationTrack } from './tracks.tsx';
import { blockName, trackTexts } from './words.ts';

interface NightProps {
  readonly shown: ShownLoop;
  /** The instant on the server's clock, in steps that a figure of this size can show. */
  readonly nowMs: number;
  /** The iteration that is chosen; the newest without one. */
  readonly chosen: number | undefined;
  readonly choose: (iteration: number) => void;
}

/** The figure of the night: every iteration, the failing tests and the cost on one axis, and what is left of it. */
export function Night({ shown, nowMs, chosen, choose }: NightProps) {
  const layout = useMemo(() => layoutOf(shown, nowMs), [shown.page, shown.history, shown.standing, nowMs]);
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  const { blocks } = layout;
  if (blocks.length === 0) return null;
  const found =
    chosen === undefined ? -1 : blocks.findIndex(({ block }) => block.first <= chosen && chosen <= block.last);
  const index = found === -1 ? blocks.length - 1 : found;
  const chooseIndex = (next: number) => {
    const block = blocks[Math.min(blocks.length - 1, Math.max(0, next))]?.block;
    if (block !== undefined) choose(block.last);
  };
  const texts = trackTexts(shown, layout);
  const drawn = { layout, width, chosen: index };
  return (
    <section class="night" aria-label="Iterations so far">
      <div class="night-tracks" ref={figure}>
        <Slider layout={layout} index={index} choose={chooseIndex} shown={shown} />
        <TrackName name="Iterations" text={texts.iterations} />
        <IterationTrack {...drawn} />
        {layout.points.length > 0 && <TrackName name="Failing tests" text={texts.tests} />}
        {layout.points.length > 0 && <FailingTrack {...drawn} />}
        <TrackName name="Cost" text={texts.cost} />
        <CostTrack {...drawn} />
        <AxisLabels {...drawn} nowMs={nowMs} isMoving={isMoving(shown.standing.state)} />
      </div>
      <Readout shown={shown} block={blocks[index]?.block} step={(by) => chooseIndex(index + by)} />
    </section>
  );
}

function TrackName({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="track-name">
      <strong>{name}</strong>
      <span>{text}</span>
    </div>
  );
}

interface SliderProps {
  readonly layout: NightLayout;
  readonly index: number;
  readonly choose: (index: number) => void;
  readonly shown: ShownLoop;
}

/** One control over the whole figure: blocks can be too narrow to be hit one by one. */
function Slider({ layout: { blocks }, index, choose, shown }: SliderProps) {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageUp: 10,
    PageDown: -10,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? blocks.length - 1 : step && index + step;
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  };
  const onPointer = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    if (event.type === 'pointermove' && event.buttons === 0) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId);
    choose(blockAt(blocks, (event.clientX - left) / width));
  };
  return (
    <div
      class="night-slider"
      role="slider"
      tabIndex={0}
      aria-label="Iteration"
      aria-valuemin={1}
      aria-valuemax={blocks.length}
      aria-valuenow={index + 1}
      aria-valuetext={blockName(blocks[index]?.block, shown)}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    />
  );
}

function layoutOf(shown: ShownLoop, nowMs: number): NightLayout {
  const { standing, history } = shown;
  const { view, limits } = standing;
  const moves = isMoving(standing.state);
  const lastMs = Date.parse(view.endedAt ?? view.lastActivityAt ?? new Date(nowMs).toISOString());
  const untilMs = moves ? nowMs : lastMs;
  const blocks = blocksOf(shown, untilMs);
  const first = history.closed[0] ?? undefined;
  const failedBefore =
    first?.iteration === 1
      ? first.failedBefore
      : history.fold.open?.iteration === 1
        ? history.fold.open.testsBefore?.failed
        : undefined;
  const limitMs =
    limits.maxTimeMs === undefined || !moves
      ? undefined
      : Date.parse(standingAt(shown)) + limits.maxTimeMs - view.runningMs;
  return nightLayout({
    blocks,
    startedAtMs: Date.parse(view.startedAt ?? blocks[0]?.startedAt ?? new Date(nowMs).toISOString()),
    nowMs: untilMs,
    ...(failedBefore === undefined ? {} : { failedBefore }),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
}

/** From when the running time has to be counted on. */
function standingAt({ standing: { view, nowMs } }: ShownLoop): string {
  return view.current?.startedAt ?? view.lastActivityAt ?? new Date(nowMs).toISOString();
}
