import { useEffect, useState } from 'preact/hooks';
import { lastAttempt } from '../../src/core/index.ts';
import type { IterationDetails, Standing } from '../../src/protocol/index.ts';
import { ask, RequestError } from '../api/request.ts';
import { clean, Phrase } from '../parts/text.tsx';
import { Link } from '../shell/router.tsx';
import type { ShownLoop } from '../state/loop.ts';
import { duration } from '../words/amounts.ts';

/** What a run of the gate found. */
export type Gate = IterationDetails['account']['attempts'][number]['gate'];

/** The checks that prove the task done, as they stand. */
export function Checks({ shown }: { readonly shown: ShownLoop }) {
  const { standing, live, history, page } = shown;
  const { lastGate } = standing.view;
  const gate = useLastGate(shown);
  const isRunning = live.pulse?.step === 'check';
  const refused = history.refused;
  if (standing.checks.length === 0 && lastGate === undefined) return <NoChecks standing={standing} />;
  return (
    <section class="checks" aria-labelledby="checks-title">
      <div class="section-head">
        <h2 id="checks-title">The checks</h2>
        <span class="quiet">
          {isRunning
            ? 'running now'
            : [
                lastGate === undefined ? 'not run yet' : `after ${lastGate.iteration}`,
                ...(refused === 0 ? [] : [refused === 1 ? 'refused once' : `refused ${refused} times`]),
              ].join(', ')}
        </span>
      </div>
      <ul>{isRunning ? <RunningChecks shown={shown} /> : <CheckRows gate={gate} standing={standing} />}</ul>
      <Doubts standing={standing} loopKey={page.key} />
    </section>
  );
}

function NoChecks({ standing }: { readonly standing: Standing }) {
  return (
    <section class="checks" aria-labelledby="checks-title">
      <div class="section-head">
        <h2 id="checks-title">The checks</h2>
      </div>
      <p class="quiet">There are none: a claim is accepted without proof.</p>
      <Doubts standing={standing} loopKey="" />
    </section>
  );
}

/** The latest run of the gate: in the open iteration, or of the one that the view names. */
function useLastGate({ page, standing, history }: ShownLoop): Gate {
  const open = history.fold.open;
  const own = open === undefined ? undefined : (lastAttempt(open)?.gate as Gate);
  const [older, setOlder] = useState<{ readonly iteration: number; readonly gate: Gate } | undefined>(undefined);
  const iteration = own === undefined ? standing.view.lastGate?.iteration : undefined;
  useEffect(() => {
    if (iteration === undefined || iteration === 0 || older?.iteration === iteration) return;
    ask<IterationDetails>(`/api/loops/${page.key}/iterations/${iteration}`)
      .then(({ account }) => setOlder({ iteration, gate: account.attempts.at(-1)?.gate }))
      .catch((error: unknown) => {
        if (!(error instanceof RequestError)) throw error;
      });
  }, [page.key, iteration]);
  return own ?? older?.gate;
}

/** Counted tests belong to the check that failed, or to the only one. */
function CheckRows({ gate, standing }: { readonly gate: Gate; readonly standing: Standing }) {
  const checks: readonly CheckRowProps['check'][] = gate?.checks ?? standing.checks.map((command) => ({ command }));
  const tests = gate?.tests ?? standing.view.tests;
  const counted = checks.find(({ verdict }) => verdict !== undefined && verdict !== 'passed') ?? checks[0];
  return (
    <>
      {checks.map((check) => (
        <>
          <CheckRow
            key={check.command}
            check={check}
            {...(check === counted && tests !== undefined ? { tests } : {})}
          />
          {check === counted && (
            <li key={`${check.command} names`}>
              <FailingNames standing={standing} gate={gate} />
            </li>
          )}
        </>
      ))}
    </>
  );
}

interface CheckRowProps {
  readonly check: { readonly command: string; readonly verdict?: string; readonly durationMs?: number };
  readonly tests?: { readonly failed: number; readonly passed: number; readonly total: number };
}

/** One check with its verdict. */
export function CheckRow({ check: { command, verdict, durationMs }, tests }: CheckRowProps) {
  const figure =
    tests === undefined || verdict === undefined
      ? ''
      : tests.failed === 0
        ? `${tests.passed} of ${tests.total} pass`
        : `${tests.failed} of ${tests.total} fail`;
  return (
    <li class="check">
      <VerdictMark verdict={verdict} />
      <code>{clean(command)}</code>
      <span class="check-figure">
        {figure !== ''
          ? figure
          : verdict === undefined
            ? 'not run yet'
            : durationMs === undefined
              ? ''
              : duration(durationMs)}
      </span>
    </li>
  );
}

/** Green only for a check that ralphd itself saw pass. */
function VerdictMark({ verdict }: { readonly verdict: string | undefined }) {
  if (verdict === undefined) return <span class="mark ink-rest">·</span>;
  const isPassed = verdict === 'passed';
  return (
    <span class={isPassed ? 'mark ink-proof' : 'mark ink-stop'}>
      <span aria-hidden="true">{isPassed ? '✓' : '✗'}</span>
      <span class="for-readers">{verdict.replaceAll('_', ' ')}: </span>
    </span>
  );
}

function RunningChecks({ shown: { live, standing } }: { readonly shown: ShownLoop }) {
  const done = new Map(live.checks.map((check) => [check.command, check]));
  return (
    <>
      {standing.checks.map((command) => {
        const check = done.get(command);
        const text =
          check === undefined ? 'waits' : check.verdict === undefined ? 'running' : check.verdict.replaceAll('_', ' ');
        return (
          <li key={command} class="check">
            <VerdictMark verdict={check?.verdict} />
            <code>{clean(command)}</code>
            <span class="check-figure">{text}</span>
          </li>
        );
      })}
    </>
  );
}

const maxNames = 6;

function FailingNames({ standing, gate }: { readonly standing: Standing; readonly gate: Gate }) {
  const names = gate?.tests?.failing ?? [];
  if (names.length === 0) return null;
  const stubborn = new Set(standing.view.tests?.stubborn.map(({ name }) => name));
  return (
    <div class="failing-names">
      <ul>
        {names.slice(0, maxNames).map((name) => (
          <li key={name}>
            {clean(name)} {stubborn.has(name) && <span class="quiet">stubborn</span>}
          </li>
        ))}
      </ul>
      {names.length > maxNames && (
        <details>
          <summary>{names.length - maxNames} more</summary>
          <ul>
            {names.slice(maxNames).map((name) => (
              <li key={name}>{clean(name)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** What a person should look at before the result is used. */
function Doubts({ standing, loopKey }: { readonly standing: Standing; readonly loopKey: string }) {
  const { doubts, warnings } = standing.explained;
  if (doubts.length + warnings.length === 0) return null;
  return (
    <ul class="doubts">
      {doubts.map(({ code, message, files }) => (
        <li key={code} title={code}>
          <span class="mark ink-you" aria-hidden="true">
            ▲
          </span>
          <span>
            <Phrase text={message} />
            {files !== undefined && files.length > 0 && !message.includes(files[0] ?? '') && (
              <code> {clean(files.join(', '))}</code>
            )}
            {loopKey !== '' && standing.view.lastGate !== undefined && code.includes('test') && (
              <>
                {' '}
                <Link to={`/loops/${loopKey}/iterations/${standing.view.lastGate.iteration}#changes`}>
                  See the change
                </Link>
              </>
            )}
          </span>
        </li>
      ))}
      {warnings.map((text) => (
        <li key={text}>
          <span class="mark ink-rest" aria-hidden="true">
            ?
          </span>
          <span>
            <Phrase text={text} />
          </span>
        </li>
      ))}
    </ul>
  );
}
