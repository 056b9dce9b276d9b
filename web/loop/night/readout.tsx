import type { NightBlock } from '../../../src/protocol/index.ts';
import { Link } from '../../shell/router.tsx';
import type { ShownLoop } from '../../state/loop.ts';
import { counted, money } from '../../words/amounts.ts';
import { signLooks } from '../../words/signs.ts';
import { moment } from '../../words/times.ts';
import { outcomeText, rowOfBlock } from './words.ts';

interface ReadoutProps {
  readonly shown: ShownLoop;
  readonly block: NightBlock | undefined;
  readonly step: (by: number) => void;
}

/** The chosen block in words and numbers. */
export function Readout({ shown, block, step }: ReadoutProps) {
  if (block === undefined) return null;
  const { first, last, startedAt, endedAt, sign, costUsd, isCostWhole } = block;
  const row = rowOfBlock(block, shown);
  const nowMs = shown.standing.nowMs;
  const name = first === last ? `Iteration ${last}` : `Iterations ${first} to ${last}`;
  const isOpen = sign === 'open';
  const parts = [
    `${moment(startedAt, nowMs)} to ${isOpen ? 'now' : moment(endedAt, nowMs)}`,
    row === undefined ? (first === last ? '' : 'the worst: ') + signLooks[sign].word : outcomeText(row),
    ...(row === undefined || row.files === null ? [] : [counted(row.files, 'file')]),
    ...(isOpen ? [] : [costUsd === null ? 'cost not reported' : money(costUsd, isCostWhole ? 0 : 1)]),
    ...(row?.score === undefined ? [] : [`progress ${row.score.toFixed(1)}`]),
  ];
  return (
    <div class="readout">
      <span class="readout-name">
        <button type="button" class="icon-button" aria-label="Earlier iteration" onClick={() => step(-1)}>
          ‹
        </button>
        <strong>{name}</strong>
        <button type="button" class="icon-button" aria-label="Later iteration" onClick={() => step(1)}>
          ›
        </button>
      </span>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
      <Link to={`/loops/${shown.page.key}/iterations/${last}`}>Open</Link>
    </div>
  );
}
