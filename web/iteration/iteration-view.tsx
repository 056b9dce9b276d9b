import type { IterationDetails } from '../../src/protocol/index.ts';
import { CheckRow } from '../loop/checks.tsx';
import { outcomeText } from '../loop/night/words.ts';
import { Problem } from '../loop/problem.tsx';
import { Loading } from '../parts/loading.tsx';
import { clean, Phrase, Said } from '../parts/text.tsx';
import { Sign } from '../parts/trail.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { useKeys } from '../shell/keys.ts';
import { go, Link } from '../shell/router.tsx';
import { useTitle } from '../shell/title.ts';
import { counted } from '../words/amounts.ts';
import { signLooks } from '../words/signs.ts';
import { Attempts } from './attempts.tsx';
import { Changes } from './changes.tsx';
import { Receipt } from './receipt.tsx';
import { Words } from './words.tsx';

interface Place {
  readonly key: string;
  readonly iteration: number;
  readonly attempt?: number;
}

/** One iteration: its prompt, what the agent wrote and did, what it changed, and what the checks said. */
export function IterationView({ place }: { readonly place: Place }) {
  const { value, error } = useAnswer<IterationDetails>(`/api/loops/${place.key}/iterations/${place.iteration}`);
  return (
    <main class="content iteration" tabIndex={-1} id="main">
      {error !== undefined ? (
        <Problem error={error} />
      ) : value === undefined ? (
        <Loading text={`Reading iteration ${place.iteration} …`} />
      ) : (
        <Iteration details={value} place={place} />
      )}
    </main>
  );
}

function Iteration({ details, place }: { readonly details: IterationDetails; readonly place: Place }) {
  const { account, row, previous, next } = details;
  const { key, iteration } = place;
  const attempt = account.attempts.find((each) => each.attempt === place.attempt) ?? account.attempts.at(-1);
  useTitle(`${signLooks[row.sign].mark} Iteration ${iteration} of ${details.loopId}`);
  useKeys({
    ...(previous === undefined ? {} : { ArrowLeft: () => go(`/loops/${key}/iterations/${previous}`) }),
    ...(next === undefined ? {} : { ArrowRight: () => go(`/loops/${key}/iterations/${next}`) }),
  });
  return (
    <>
      <Head details={details} place={place} />
      {account.attempts.length > 1 && (
        <Attempts attempts={account.attempts} chosen={attempt?.attempt ?? 1} place={place} />
      )}
      <div class="columns">
        <div class="column-main">
          <Words place={place} attempt={attempt?.attempt ?? 1} isOpen={row.sign === 'open'} />
          <Changes place={place} hasChanges={attempt?.run !== undefined} />
          <Prompt details={details} />
        </div>
        <div class="column-side">
          <CheckResults attempt={attempt} tests={details.tests} />
          {attempt !== undefined && <Receipt details={details} attempt={attempt} />}
        </div>
      </div>
    </>
  );
}

function Head({ details, place }: { readonly details: IterationDetails; readonly place: Place }) {
  const { row, previous, next, loopId, activity } = details;
  const to = (iteration: number) => `/loops/${place.key}/iterations/${iteration}`;
  return (
    <div class="lead">
      <nav class="crumbs" aria-label="Where you are">
        <Link to="/">Loops</Link> <span aria-hidden="true">/</span> <Link to={`/loops/${place.key}`}>{loopId}</Link>
      </nav>
      <div class="iteration-name">
        <Sign sign={row.sign} />
        <h1>
          Iteration {place.iteration}: {outcomeText(row)}
        </h1>
        <span class="steps">
          {previous !== undefined && (
            <Link to={to(previous)} class="icon-button" aria-label={`Iteration ${previous}`}>
              ‹
            </Link>
          )}
          {next !== undefined && (
            <Link to={to(next)} class="icon-button" aria-label={`Iteration ${next}`}>
              ›
            </Link>
          )}
        </span>
      </div>
      {row.failure !== undefined && (
        <p class="lead-more">
          <Phrase text={row.failure} />
        </p>
      )}
      {activity !== null && activity.lastWords.trim() !== '' && <Said text={activity.lastWords.trim().slice(-600)} />}
    </div>
  );
}

function Prompt({ details: { prompt } }: { readonly details: IterationDetails }) {
  return (
    <section aria-labelledby="prompt-title">
      <div class="section-head">
        <h2 id="prompt-title">The prompt</h2>
        {prompt !== null && <span class="quiet">{counted(prompt.bytes, 'byte')}</span>}
      </div>
      {prompt === null ? (
        <p class="quiet">It is not stored here.</p>
      ) : (
        <details>
          <summary>Show what the agent was asked</summary>
          <pre class="text-block" tabIndex={0}>
            {clean(prompt.text)}
          </pre>
        </details>
      )}
    </section>
  );
}

interface CheckResultsProps {
  readonly attempt: IterationDetails['account']['attempts'][number] | undefined;
  readonly tests: IterationDetails['tests'];
}

function CheckResults({ attempt, tests }: CheckResultsProps) {
  const gate = attempt?.gate;
  return (
    <section class="checks" aria-labelledby="checks-title">
      <div class="section-head">
        <h2 id="checks-title">The checks</h2>
        {gate !== undefined && <span class="quiet">{gate.verdict.replaceAll('_', ' ')}</span>}
      </div>
      {gate === undefined ? (
        <p class="quiet">
          Not run: {attempt?.run?.claimed === true ? 'the claim was not judged yet.' : 'nothing was claimed.'}
        </p>
      ) : (
        <ul>
          {gate.checks.map((check) => (
            <>
              <CheckRow key={check.command} check={check} />
              {check.output.trim() !== '' && (
                <li key={`${check.command} output`} class="check-output">
                  <details open={check.verdict !== 'passed'}>
                    <summary>Its output</summary>
                    <pre class="text-block" tabIndex={0}>
                      {clean(check.output).trim()}
                    </pre>
                  </details>
                </li>
              )}
            </>
          ))}
        </ul>
      )}
      <Names title="Fixed" names={tests.fixed} />
      <Names title="Broken" names={tests.broken} />
      {gate?.tampered !== undefined && gate.tampered.length > 0 && (
        <Names title="Tampered with" names={gate.tampered} />
      )}
    </section>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div class="failing-names">
      <h3>
        {title} <span class="quiet">{names.length}</span>
      </h3>
      <ul>
        {names.slice(0, 30).map((name) => (
          <li key={name}>{clean(name)}</li>
        ))}
      </ul>
    </div>
  );
}
