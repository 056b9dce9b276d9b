import { useState } from 'preact/hooks';
import type { LoopRow } from '../../src/protocol/index.ts';
import { StateMark } from '../parts/badge.tsx';
import { Share } from '../parts/meter.tsx';
import { cleanLine } from '../parts/text.tsx';
import { Trail } from '../parts/trail.tsx';
import { Link } from '../shell/router.tsx';
import { money } from '../words/amounts.ts';

const step = 30;

/** One group of loops. */
export function LoopRows({ name, rows }: { readonly name: string; readonly rows: readonly LoopRow[] }) {
  const [limit, setLimit] = useState(step);
  if (rows.length === 0) return null;
  const rest = rows.length - limit;
  return (
    <section class="group" aria-label={name}>
      <h2 class="section-title">
        {name} <span class="quiet">{rows.length}</span>
      </h2>
      <ul class="rows">
        {rows.slice(0, limit).map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" class="button more" onClick={() => setLimit(limit + step)}>
          Show {Math.min(rest, step)} more
        </button>
      )}
    </section>
  );
}

function Row({ row }: { readonly row: LoopRow }) {
  return (
    <li class="row">
      <StateMark state={row.state} />
      <div class="row-what">
        <Link to={`/loops/${row.key}`} class="row-name" data-row="">
          {row.name}
        </Link>
        <span class="row-task quiet">{cleanLine(row.task)}</span>
      </div>
      <div class="row-trail">
        <Trail trail={row.trail} total={row.iteration} />
      </div>
      <Tests row={row} />
      <Cost row={row} />
      <p class="row-sentence">
        <Sentence text={row.sentence} />
      </p>
    </li>
  );
}

function Tests({ row: { tests, proof, state } }: { readonly row: LoopRow }) {
  if (tests === undefined) return <div class="row-tests quiet">tests not known</div>;
  const { failed, passed, total } = tests;
  return (
    <div class="row-tests">
      <span>{failed === 0 ? `${passed} of ${total} pass` : `${failed} of ${total} fail`}</span>
      {(state === 'proven' || state === 'green') && <span class="quiet">proof: {proof}</span>}
    </div>
  );
}

function Cost({ row: { cost, nextStop, finished } }: { readonly row: LoopRow }) {
  const isUnknown = cost.usd === null;
  const share = nextStop?.rule === 'max_cost' ? nextStop.near : null;
  return (
    <div class="row-cost">
      <span class={isUnknown ? 'quiet' : ''}>
        {isUnknown && finished === 0 ? 'no cost yet' : money(cost.usd, cost.unreportedRuns)}
      </span>
      {share !== null && <Share share={share} />}
    </div>
  );
}

/** The first clause carries the news. */
function Sentence({ text }: { readonly text: string }) {
  const [, head, rest] = /^([^:.]{1,40}[:.])(\s.*)?$/su.exec(cleanLine(text)) ?? [];
  if (head === undefined) return <>{cleanLine(text)}</>;
  return (
    <>
      <strong>{head}</strong>
      {rest}
    </>
  );
}
