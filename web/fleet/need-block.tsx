import type { LoopRow, UnreadableRow } from '../../src/protocol/index.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Badge } from '../parts/badge.tsx';
import { CommandBox } from '../parts/command-box.tsx';
import { cleanLine, Phrase } from '../parts/text.tsx';
import { Link } from '../shell/router.tsx';
import { useNow } from '../state/clock.ts';
import { moment } from '../words/times.ts';

interface NeedBlockProps {
  readonly loops: readonly LoopRow[];
  readonly unreadable: readonly UnreadableRow[];
}

/** What needs a person: each with its cause and one thing to do. */
export function NeedBlock({ loops, unreadable }: NeedBlockProps) {
  if (loops.length + unreadable.length === 0) return null;
  return (
    <section class="needs" aria-label="Needs you">
      {unreadable.map((row) => (
        <Unreadable key={row.key} row={row} />
      ))}
      {loops.map((row) => (
        <Need key={row.key} row={row} />
      ))}
    </section>
  );
}

function Need({ row }: { readonly row: LoopRow }) {
  const nowMs = useNow();
  const { need, lastActivityAt } = row;
  return (
    <article class="need">
      <div class="need-text">
        <h2>
          <Badge state={row.state} />
          <Link to={`/loops/${row.key}`} class="row-name" data-row="">
            {row.name}
          </Link>
          {lastActivityAt !== undefined && <span class="quiet">since {moment(lastActivityAt, nowMs)}</span>}
        </h2>
        <p class="need-cause">
          <Phrase text={need?.cause ?? row.sentence} />
        </p>
        <p class="quiet one-line">{cleanLine(row.task)}</p>
      </div>
      {need !== undefined && (
        <div class="need-act">
          <CommandBox command={need.command} label={`command for ${row.name}`} />
          {need.request !== undefined && <ActionButton loopKey={row.key} request={need.request} />}
        </div>
      )}
    </article>
  );
}

const problems = {
  newer: 'Newer',
  damaged: 'Damaged',
  locked: 'Locked',
  lost: 'Lost',
  other: 'Unreadable',
} as const;

function Unreadable({ row }: { readonly row: UnreadableRow }) {
  const command = /ralphd [a-z][^"”`]*/u.exec(row.hint)?.[0].trim();
  return (
    <article class="need">
      <div class="need-text">
        <h2>
          <span class="badge badge-you">
            <span class="mark" aria-hidden="true">
              ▲
            </span>
            {problems[row.problem]}
          </span>
          <span class="row-name">{row.id}</span>
        </h2>
        <p class="need-cause">
          <Phrase text={row.message} />
        </p>
        <p class="quiet">
          {/Nothing was changed|left in place/u.test(row.message) ? '' : 'Nothing was changed. '}
          {command === undefined ? row.hint : ''}
        </p>
      </div>
      {command !== undefined && (
        <div class="need-act">
          <CommandBox command={command} label={`command for ${row.id}`} />
        </div>
      )}
    </article>
  );
}
