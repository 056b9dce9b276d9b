import type { NightReport } from '../../src/protocol/index.ts';
import { Problem } from '../loop/problem.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { StateMark } from '../parts/badge.tsx';
import { CommandBox, useCopy } from '../parts/command-box.tsx';
import { Loading } from '../parts/loading.tsx';
import { Share } from '../parts/meter.tsx';
import { Phrase } from '../parts/text.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { go, Link } from '../shell/router.tsx';
import { useTitle } from '../shell/title.ts';
import { now } from '../state/clock.ts';
import { counted, money } from '../words/amounts.ts';
import { clock, lastTime, longDay, moment } from '../words/times.ts';
import { ReceiptOf } from './receipt-of.tsx';

/** What all loops did since last evening: what needs a person first, then what is proven, then the rest. */
export function ReportView({ since }: { readonly since: string }) {
  const isTime = /^\d{1,2}:\d{2}$/u.test(since);
  const from = isTime ? lastTime(since, now()).toISOString() : since;
  const { value, error } = useAnswer<NightReport>(`/api/report?since=${encodeURIComponent(from)}`);
  useTitle('Last night');
  return (
    <main class="content report" tabIndex={-1} id="main">
      {error !== undefined ? (
        <Problem error={error} />
      ) : value === undefined ? (
        <Loading text="Reading the night …" />
      ) : (
        <Report report={value} since={since} />
      )}
    </main>
  );
}

type Entry = NightReport['loops'][number];

function Report({ report, since }: { readonly report: NightReport; readonly since: string }) {
  const { loops, unreadable, omitted, nowMs } = report;
  const needing = loops.filter(({ row }) => row.group === 'needs you');
  const proven = loops.filter(({ row }) => row.state === 'proven');
  const others = loops.filter(({ row }) => row.group !== 'needs you' && row.state !== 'proven');
  return (
    <>
      <div class="lead report-lead">
        <p class="crumbs">
          {longDay(nowMs)}, {clock(nowMs)}. Everything since {moment(report.since, nowMs)}.
        </p>
        <h1>{report.sentence}</h1>
        <p class="lead-more">
          Nothing here is the agent’s word unless it is set like <span class="quoted">a quotation</span>.
        </p>
        <Figures report={report} />
        <Since since={since} />
      </div>
      {loops.length + unreadable.length === 0 && <p class="empty">No loop was active in this time.</p>}
      {(needing.length > 0 || unreadable.length > 0) && <ForYou entries={needing} unreadable={unreadable} />}
      <Receipts title="Proven" note={counted(proven.length, 'task')} entries={proven} />
      <Receipts title="Not proven" note={counted(others.length, 'loop')} entries={others} />
      <Money loops={loops} />
      {omitted > 0 && <p class="quiet">{counted(omitted, 'more loop')} not listed here: ralphd ls --all</p>}
      <Foot report={report} />
    </>
  );
}

function Figures({ report: { money: spent, loops } }: { readonly report: NightReport }) {
  const iterations = loops.reduce((sum, { row }) => sum + row.finished, 0);
  const provenUsd = loops.reduce((sum, { row }) => sum + (row.state === 'proven' ? (row.cost.usd ?? 0) : 0), 0);
  return (
    <p class="figures">
      <span>
        <strong>{money(spent.usd, spent.unreportedRuns)}</strong> {spent.usd === null ? '' : 'spent'}
      </span>
      {provenUsd > 0 && (
        <span>
          <strong>{money(provenUsd)}</strong> of it in proven tasks
        </span>
      )}
      <span>
        <strong>{iterations}</strong> {iterations === 1 ? 'iteration' : 'iterations'}
      </span>
    </p>
  );
}

const choices = [
  ['18:00', 'last evening'],
  ['00:00', 'midnight'],
] as const;

function Since({ since }: { readonly since: string }) {
  return (
    <p class="since">
      <span class="quiet">Since </span>
      {choices.map(([time, name]) => (
        <button
          key={time}
          type="button"
          class="link-button"
          aria-pressed={since === time}
          onClick={() => go(`/report?since=${time}`)}
        >
          {name}, {time}
        </button>
      ))}
    </p>
  );
}

interface ForYouProps {
  readonly entries: readonly Entry[];
  readonly unreadable: NightReport['unreadable'];
}

function ForYou({ entries, unreadable }: ForYouProps) {
  return (
    <section class="report-section" aria-labelledby="for-you">
      <SectionTitle id="for-you" title="For you" note="in this order" />
      <ol class="for-you">
        {entries.map(({ row }) => (
          <li key={row.key}>
            <p>
              <Link to={`/loops/${row.key}`}>
                <strong>{row.name}</strong>
              </Link>
              : <Phrase text={row.need?.cause ?? row.sentence} />
            </p>
            {row.need !== undefined && (
              <div>
                <CommandBox command={row.need.command} label={`command for ${row.name}`} />
                {row.need.request !== undefined && <ActionButton loopKey={row.key} request={row.need.request} />}
              </div>
            )}
          </li>
        ))}
        {unreadable.map(({ key, id, message, hint }) => (
          <li key={key}>
            <p>
              <strong>{id}</strong>: <Phrase text={`${message} ${hint}`} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ReceiptsProps {
  readonly title: string;
  readonly note: string;
  readonly entries: readonly Entry[];
}

function Receipts({ title, note, entries }: ReceiptsProps) {
  if (entries.length === 0) return null;
  const id = `section-${title.replaceAll(' ', '-').toLowerCase()}`;
  return (
    <section class="report-section" aria-labelledby={id}>
      <SectionTitle id={id} title={title} note={note} />
      <div>
        {entries.map((entry) => (
          <ReceiptOf key={entry.row.key} entry={entry} />
        ))}
      </div>
    </section>
  );
}

function SectionTitle({ id, title, note }: { readonly id: string; readonly title: string; readonly note: string }) {
  return (
    <h2 id={id} class="report-title">
      {title} <span class="quiet">{note}</span>
    </h2>
  );
}

function Money({ loops }: { readonly loops: readonly Entry[] }) {
  const rows = loops.map(({ row }) => row).toSorted((one, other) => (other.cost.usd ?? -1) - (one.cost.usd ?? -1));
  const top = Math.max(0.01, ...rows.map(({ cost }) => cost.usd ?? 0));
  if (rows.length === 0) return null;
  return (
    <section class="report-section" aria-labelledby="money">
      <SectionTitle id="money" title="The money" note="by loop" />
      <ul class="money">
        {rows.map(({ key, name, state, cost }) => (
          <li key={key}>
            <StateMark state={state} />
            <span class="money-name">{name}</span>
            <Share
              share={cost.usd === null ? 0.08 : cost.usd / top}
              tone={cost.usd === null ? 'unknown' : state === 'proven' ? 'proof' : 'plain'}
            />
            <span class="money-figure">{money(cost.usd, cost.unreportedRuns)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Foot({ report }: { readonly report: NightReport }) {
  const { isCopied, copy } = useCopy(report.markdown);
  return (
    <p class="report-foot">
      <span class="quiet">Every sentence here comes from facts in the journals.</span>
      <button type="button" class="link-button" onClick={() => print()}>
        Print
      </button>
      <button type="button" class="link-button" onClick={copy}>
        {isCopied ? 'Copied' : 'Copy as Markdown'}
      </button>
    </p>
  );
}
