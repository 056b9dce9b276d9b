import type { IterationDetails } from '../../src/protocol/index.ts';
import { cleanLine } from '../parts/text.tsx';
import { counted, dollars, duration, shortCount } from '../words/amounts.ts';
import { moment } from '../words/times.ts';

interface ReceiptProps {
  readonly details: IterationDetails;
  readonly attempt: IterationDetails['account']['attempts'][number];
}

/** What an attempt took and what it cost. */
export function Receipt({ details, attempt }: ReceiptProps) {
  return (
    <section class="receipt" aria-labelledby="receipt-title">
      <div class="section-head">
        <h2 id="receipt-title">Receipt</h2>
      </div>
      <dl>
        {figuresOf(details, attempt).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function figuresOf(
  { agent, row, account, activity }: IterationDetails,
  attempt: ReceiptProps['attempt'],
): readonly (readonly [string, string])[] {
  const { startedAt, endedAt, session, guidance, run, interrupted } = attempt;
  const nowMs = Date.now();
  const usage = run?.usage;
  const tokens = (name: string, value: number | undefined): readonly (readonly [string, string])[] =>
    value === undefined ? [] : [[name, shortCount(value)]];
  return [
    ['Agent', agent],
    ['Session', session === 'fresh' ? 'new' : 'continued'],
    ['Started', moment(startedAt, nowMs)],
    ...(endedAt === undefined ? [] : ([['Took', duration(Date.parse(endedAt) - Date.parse(startedAt))]] as const)),
    ...(run === undefined ? [] : ([['Ended with', cleanLine(run.outcome.replaceAll('_', ' '))]] as const)),
    ...(interrupted === undefined ? [] : ([['Does not count', cleanLine(interrupted.message)]] as const)),
    ['Claimed to be done', run === undefined ? 'not yet' : run.claimed ? 'yes' : 'no'],
    ...(guidance === 0 ? [] : ([['Guidance', counted(guidance, 'piece')]] as const)),
    ['Cost', row.costUsd === null ? 'not reported' : dollars(usage?.costUsd ?? row.costUsd)],
    ...tokens('Input tokens', usage?.inputTokens),
    ...tokens('Output tokens', usage?.outputTokens),
    ...tokens('Read from cache', usage?.cacheReadTokens),
    ...(activity === null || !activity.reportsTools ? [] : ([['Tool calls', toolText(activity)]] as const)),
    ...(row.files === null ? [] : ([['Files changed', String(row.files)]] as const)),
    ...(row.lines === undefined ? [] : ([['Lines', `+${row.lines.added} −${row.lines.removed}`]] as const)),
    ...(row.score === undefined ? [] : ([['Progress', row.score.toFixed(2)]] as const)),
    ...(account.attempts.length > 1 ? ([['Attempts', String(account.attempts.length)]] as const) : []),
  ];
}

function toolText({ toolCalls, failedCalls, deniedCalls, tools }: NonNullable<IterationDetails['activity']>): string {
  const trouble = [
    ...(failedCalls === 0 ? [] : [`${failedCalls} failed`]),
    ...(deniedCalls === 0 ? [] : [`${deniedCalls} denied`]),
  ];
  const names = tools.slice(0, 4).map(({ name, calls }) => `${cleanLine(name)} ${calls}`);
  return [`${toolCalls}${trouble.length === 0 ? '' : ` (${trouble.join(', ')})`}`, ...names].join(', ');
}
