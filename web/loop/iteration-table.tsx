import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { IterationList } from '../../src/protocol/index.ts';
import { type History, rowsOf, type ShownRow } from '../../src/views/index.ts';
import { ask, RequestError } from '../api/request.ts';
import { memo } from '../parts/memo.ts';
import { clean } from '../parts/text.tsx';
import { Sign } from '../parts/trail.tsx';
import { go, Link } from '../shell/router.tsx';
import { dollars, shortDuration } from '../words/amounts.ts';
import { outcomeWord } from './night/words.ts';

interface TableProps {
  readonly history: History;
  readonly loopKey: string;
  readonly chosen: number | undefined;
}

const overscan = 15;
/** Shorter tables are drawn whole, so that the browser can find text in them. */
const drawnWhole = 120;

/** Every iteration, newest first. Of a long loop, only the rows in view are drawn. */
export const IterationTable = memo(({ history, loopKey, chosen }: TableProps) => {
  const rows = useRows(history, loopKey);
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, last] = useVisible(body, rows.length);
  const newest = rows[0]?.iteration ?? 0;
  if (newest === 0) return null;
  const isWhole = rows.length <= drawnWhole;
  const [from, to] = isWhole
    ? [0, rows.length]
    : [Math.max(0, first - overscan), Math.min(rows.length, last + overscan)];
  return (
    <section class="iterations" aria-labelledby="iterations-title">
      <div class="table-scroll">
        <table aria-rowcount={rows.length + 1}>
          <caption id="iterations-title">
            <h2>Iterations, newest first</h2>
          </caption>
          <thead>
            <tr>
              <th scope="col" class="number">
                #
              </th>
              <th scope="col">Outcome</th>
              <th scope="col" class="number">
                Failing
              </th>
              <th scope="col" class="number">
                <span class="for-readers">Change</span>
              </th>
              <th scope="col" class="number wide-only">
                Files
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number wide-only">
                Progress
              </th>
              <th scope="col" class="number">
                Time
              </th>
              <th scope="col" class="wide-only what">
                What
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            <Space rows={from} />
            {rows.slice(from, to).map((row, index) => (
              <Row
                key={row.iteration}
                row={row}
                place={from + index}
                loopKey={loopKey}
                isChosen={row.iteration === chosen}
              />
            ))}
            <Space rows={rows.length - to} />
          </tbody>
        </table>
      </div>
    </section>
  );
});

/** The room of rows that are not drawn. */
function Space({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={9} style={{ height: `calc(var(--row) * ${rows})` }} />
    </tr>
  );
}

interface RowProps {
  readonly row: ShownRow | MissingRow;
  readonly place: number;
  readonly loopKey: string;
  readonly isChosen: boolean;
}

/** A row whose numbers have not been read yet. */
interface MissingRow {
  readonly iteration: number;
  readonly isMissing: true;
}

function Row({ row, place, loopKey, isChosen }: RowProps) {
  const to = `/loops/${loopKey}/iterations/${row.iteration}`;
  if ('isMissing' in row) {
    return (
      <tr aria-rowindex={place + 2}>
        <td class="number">{row.iteration}</td>
        <td colSpan={8} class="quiet">
          …
        </td>
      </tr>
    );
  }
  const { failedTests, failedBefore, files, costUsd, score, durationMs, sign } = row;
  const change = failedTests === undefined || failedBefore === undefined ? undefined : failedTests - failedBefore;
  const isOpen = sign === 'open';
  return (
    <tr
      class={isChosen ? 'chosen' : ''}
      aria-rowindex={place + 2}
      data-iteration={row.iteration}
      onClick={() => openUnlessSelecting(to)}
    >
      <td class="number">
        <Link to={to} data-row="" aria-label={`Iteration ${row.iteration}`}>
          {row.iteration}
        </Link>
      </td>
      <td class="outcome">
        <Sign sign={sign} /> {outcomeWord(row)}
        {row.attempts > 1 && <span class="quiet">, attempt {row.attempts}</span>}
      </td>
      <td class="number">
        {failedTests === undefined ? <span class="quiet">{isOpen ? '' : 'not run'}</span> : failedTests}
      </td>
      <td class={change !== undefined && change > 0 ? 'number worse-text' : 'number'}>
        {change === undefined ? '' : changeText(change)}
      </td>
      <td class="number wide-only">{files ?? (isOpen ? '' : '?')}</td>
      <td class="number">{costUsd === null ? (isOpen ? '' : '?') : dollars(costUsd)}</td>
      <td class="number wide-only">{score === undefined ? '' : score.toFixed(1)}</td>
      <td class="number">{durationMs === undefined ? '' : shortDuration(durationMs)}</td>
      <td class="wide-only what">{clean(row.what)}</td>
    </tr>
  );
}

function changeText(change: number): string {
  if (change === 0) return '±0';
  return change < 0 ? `−${-change}` : `+${change}`;
}

function openUnlessSelecting(to: string): void {
  if (getSelection()?.isCollapsed !== false) go(to);
}

const pageSize = 200;

/** All rows: those that are known, and places for older ones, which are read when they come into view. */
function useRows(history: History, loopKey: string): readonly (ShownRow | MissingRow)[] {
  const [older, setOlder] = useState<ReadonlyMap<number, ShownRow>>(new Map());
  const known = useMemo(() => rowsOf(history).toReversed(), [history]);
  const oldest = known.at(-1)?.iteration ?? 1;
  const rows = useMemo(() => {
    const rest = Array.from({ length: oldest - 1 }, (_, index) => oldest - 1 - index);
    return [...known, ...rest.map((iteration) => older.get(iteration) ?? ({ iteration, isMissing: true } as const))];
  }, [known, older, oldest]);
  const asked = useRef(new Set<number>());
  const wanted = useVisibleIteration(oldest);
  useEffect(() => {
    if (wanted === undefined || older.has(wanted)) return;
    const before = Math.min(oldest, Math.ceil(wanted / pageSize) * pageSize + 1);
    if (asked.current.has(before)) return;
    asked.current.add(before);
    ask<IterationList>(`/api/loops/${loopKey}/iterations?before=${before}&limit=${pageSize}`)
      .then((list) => setOlder((map) => new Map([...map, ...list.rows.map((row) => [row.iteration, row] as const)])))
      .catch((error: unknown) => {
        asked.current.delete(before);
        if (!(error instanceof RequestError)) throw error;
      });
  }, [wanted, older, oldest]);
  return rows;
}

/** The oldest iteration in view that may not be known; follows the scroll position. */
function useVisibleIteration(oldest: number): number | undefined {
  const [wanted, setWanted] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (oldest <= 1) return undefined;
    const look = () => {
      const rows = [...document.querySelectorAll<HTMLElement>('.iterations tbody tr:not(.space)')];
      const seen = rows.findLast(
        (row) => row.getBoundingClientRect().top < innerHeight && row.dataset['iteration'] === undefined,
      );
      const number = Number(seen?.querySelector('td')?.textContent);
      if (seen !== undefined && Number.isInteger(number)) setWanted(number);
    };
    const timer = setInterval(look, 150);
    return () => clearInterval(timer);
  }, [oldest]);
  return wanted;
}

/** Which rows are in view. */
function useVisible(body: { readonly current: HTMLElement | null }, count: number): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 40]);
  useEffect(() => {
    if (count <= drawnWhole) return undefined;
    let isPlanned = false;
    const measure = () => {
      isPlanned = false;
      if (body.current === null) return;
      const { top } = body.current.getBoundingClientRect();
      const height = Number.parseFloat(getComputedStyle(body.current).getPropertyValue('--row')) || 36;
      const first = Math.max(0, Math.floor(-top / height));
      const last = Math.max(0, Math.ceil((innerHeight - top) / height));
      // In steps, so that most movements change nothing.
      setRange((old) =>
        Math.abs(old[0] - first) < overscan / 3 && old[1] >= last - overscan / 3 ? old : [first, last],
      );
    };
    const plan = () => {
      if (isPlanned) return;
      isPlanned = true;
      requestAnimationFrame(measure);
    };
    plan();
    addEventListener('scroll', plan, { passive: true });
    addEventListener('resize', plan);
    return () => {
      removeEventListener('scroll', plan);
      removeEventListener('resize', plan);
    };
  }, [body, count]);
  return range;
}
