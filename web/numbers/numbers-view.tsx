import type { Numbers } from '../../src/protocol/index.ts';
import { Problem } from '../loop/problem.tsx';
import { Loading } from '../parts/loading.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { useTitle } from '../shell/title.ts';
import { counted, dollars, duration } from '../words/amounts.ts';
import { Days } from './days.tsx';
import { Results, shareText } from './results.tsx';

/** What loops brought and what that took. What cannot be known is said, and is never 0. */
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

function Figures({ numbers }: { readonly numbers: Numbers }) {
  if (numbers.started === 0) {
    return (
      <div class="lead">
        <h1>No loop has run yet.</h1>
        <p class="lead-more">Proven tasks, their cost and the failures are counted here once one has.</p>
      </div>
    );
  }
  return (
    <>
      <div class="lead">
        <h1>{leadText(numbers)}</h1>
        <p class="lead-more">{costText(numbers)}</p>
        {numbers.unreadable > 0 && (
          <p class="lead-more">{counted(numbers.unreadable, 'loop')} cannot be read and is in no number.</p>
        )}
      </div>
      <Results agents={numbers.agents} />
      <Days days={numbers.days} />
      <Failures failures={numbers.failures} />
    </>
  );
}

function leadText({ proven, alreadyGreen, unproven, ended, started, successRate }: Numbers): string {
  const rate = successRate === null ? '' : ` (${shareText(successRate)})`;
  const claimed = unproven === 0 ? '' : ` ${unproven} completed on the agent’s word alone.`;
  const green = alreadyGreen === 0 ? '' : ` The checks of ${alreadyGreen} passed before it began.`;
  if (ended === 0) return `${counted(started, 'loop')}, and none has ended yet.`;
  return `${proven} of ${counted(ended, 'ended loop')} ${proven === 1 ? 'is' : 'are'} proven${rate}.${green}${claimed}`;
}

function costText({
  perProvenTask: { costUsd, costUsdWithFailures, costUnknown, runningMs },
  proven,
}: Numbers): string {
  if (proven === 0) return 'No task is proven yet, so there is no cost of one.';
  const all = costUsdWithFailures === null ? '' : `, ${dollars(costUsdWithFailures)} with everything that failed`;
  const cost = costUsd === null ? 'not known' : `${dollars(costUsd)}${all}`;
  const time = runningMs === null ? '' : ` It takes ${duration(runningMs)}.`;
  const silent = costUnknown === 0 ? '' : ` ${counted(costUnknown, 'proven loop')} did not report the cost.`;
  return `The cost of a proven task is ${cost}.${time}${silent}`;
}

function Failures({ failures }: { readonly failures: Numbers['failures'] }) {
  return (
    <section aria-labelledby="failures-title" class="number-section">
      <h2 class="section-title" id="failures-title">
        Failed runs by agent, model and class
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
                  Runs
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
