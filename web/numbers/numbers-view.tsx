import type { Numbers } from '../../src/protocol/index.ts';
import { Problem } from '../loop/problem.tsx';
import { Loading } from '../parts/loading.tsx';
import { Share } from '../parts/meter.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { useTitle } from '../shell/title.ts';
import { counted, dollars, duration, money, shortCount } from '../words/amounts.ts';

/** Totals and averages over all loops. What cannot be known is said, and is never 0. */
export function NumbersView() {
  const { value, error } = useAnswer<Numbers>('/api/numbers');
  useTitle('Numbers');
  return (
    <main class="content numbers" tabIndex={-1} id="main">
      {error !== undefined ? (
        <Problem error={error} />
      ) : value === undefined ? (
        <Loading text="Counting …" />
      ) : (
        <Figures numbers={value} />
      )}
    </main>
  );
}

type Statistics = Numbers['statistics'];

function Figures({ numbers: { statistics } }: { readonly numbers: Numbers }) {
  const { loops } = statistics;
  if (loops.total === 0) {
    return (
      <div class="lead">
        <h1>No loop has run yet.</h1>
        <p class="lead-more">Success, cost and failures are counted here once one has.</p>
      </div>
    );
  }
  return (
    <>
      <div class="lead">
        <h1>{leadText(statistics)}</h1>
        <p class="lead-more">{costText(statistics)}</p>
      </div>
      <div class="number-columns">
        <Counts title="Loops by state" counts={loops.byStatus} />
        <Counts title="Why they ended or paused" counts={loops.byReason} />
        <Totals statistics={statistics} />
      </div>
      <Failures failures={statistics.failures} />
    </>
  );
}

function leadText({ loops }: Statistics): string {
  return `${loops.verified} of ${counted(loops.total, 'loop')} proven.${loops.successRate === null ? '' : ` Of those that ended, ${percentText(loops.successRate)} completed.`}`;
}

function costText({ costPerCompletedLoop: { usd, loops, unknown } }: Statistics): string {
  if (loops + unknown === 0) return 'No loop has completed yet.';
  const silent = unknown === 0 ? '' : ` ${counted(unknown, 'completed loop')} did not report the cost.`;
  return usd === null
    ? `The cost of a completed loop is not known.${silent}`
    : `A completed loop costs ${dollars(usd)} on average.${silent}`;
}

function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function Counts({ title, counts }: { readonly title: string; readonly counts: Readonly<Record<string, number>> }) {
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted((one, other) => other[1] - one[1]);
  const top = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <section aria-label={title}>
      <h2 class="section-title">{title}</h2>
      {rows.length === 0 && <p class="quiet">None yet.</p>}
      <ul class="counts">
        {rows.map(([name, count]) => (
          <li key={name}>
            <span>{name.replaceAll('_', ' ')}</span>
            <Share share={count / top} />
            <span class="number">{count}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Totals({ statistics: { iterations, time, spent } }: { readonly statistics: Statistics }) {
  const rows = [
    ['Iterations', iterations.total.toLocaleString('en')],
    [
      'Successful',
      iterations.successRate === null
        ? 'not known'
        : `${iterations.successful} (${percentText(iterations.successRate)})`,
    ],
    ['Failed', String(iterations.failed)],
    ['Timed out', String(iterations.timedOut)],
    ['Skipped', String(iterations.skipped)],
    ['Average time', iterations.averageMs === null ? 'not known' : duration(iterations.averageMs)],
    ['Running time', duration(time.runningMs)],
    ['Agents at work', duration(time.executionMs)],
    [
      'Cost',
      money(
        spent.runs > 0 && (spent.unreportedCost ?? 0) === spent.runs ? null : spent.costUsd,
        spent.unreportedCost ?? 0,
      ),
    ],
    [
      'Tokens',
      spent.runs > 0 && (spent.unreportedTokens ?? 0) === spent.runs
        ? 'not reported'
        : `${(spent.unreportedTokens ?? 0) > 0 ? '≥ ' : ''}${shortCount(spent.tokens)}`,
    ],
  ] as const;
  return (
    <section aria-label="Totals" class="receipt">
      <h2 class="section-title">Totals</h2>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Failures({ failures }: { readonly failures: Statistics['failures'] }) {
  return (
    <section aria-labelledby="failures-title">
      <h2 class="section-title" id="failures-title">
        Failures by agent and model
      </h2>
      {failures.length === 0 ? (
        <p class="quiet">No run has failed.</p>
      ) : (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">Model</th>
                <th scope="col">Class</th>
                <th scope="col" class="number">
                  Count
                </th>
              </tr>
            </thead>
            <tbody>
              {failures.map(({ agent, model, class: kind, count }) => (
                <tr key={`${agent}/${model}/${kind}`}>
                  <td>{agent}</td>
                  <td>{model ?? <span class="quiet">not reported</span>}</td>
                  <td>{kind}</td>
                  <td class="number">{count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
