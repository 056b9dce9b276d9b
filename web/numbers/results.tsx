import type { Numbers } from '../../src/protocol/index.ts';
import { dollars, duration } from '../words/amounts.ts';

/** How loops ended with each agent and model. */
export function Results({ agents }: { readonly agents: Numbers['agents'] }) {
  return (
    <section aria-labelledby="agents-title" class="number-section">
      <h2 class="section-title" id="agents-title">
        By agent and model
      </h2>
      <div class="table-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col" class="number">
                Loops
              </th>
              <th scope="col" class="number">
                Proven
              </th>
              <th scope="col" class="number">
                Of ended
              </th>
              <th scope="col" class="number">
                Cost per proven task
              </th>
              <th scope="col" class="number wide-only">
                Time per proven task
              </th>
              <th scope="col" class="number wide-only">
                Cost in all
              </th>
            </tr>
          </thead>
          <tbody>
            {agents.map(({ agent, model, started, proven, successRate, perProvenTask, cost }) => (
              <tr key={`${agent}/${model}`}>
                <td>{agent}</td>
                <td>{model ?? <span class="quiet">not reported</span>}</td>
                <td class="number">{started}</td>
                <td class="number">{proven}</td>
                <td class="number">{successRate === null ? <Unknown /> : shareText(successRate)}</td>
                <td class="number">{perProvenTask.costUsd === null ? <Unknown /> : dollars(perProvenTask.costUsd)}</td>
                <td class="number wide-only">
                  {perProvenTask.runningMs === null ? <Unknown /> : duration(perProvenTask.runningMs)}
                </td>
                <td class="number wide-only">{costText(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Unknown() {
  return <span class="quiet">not known</span>;
}

/** A share in percent. */
export function shareText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** What loops cost; a lower bound if some of them did not report it. */
export function costText({ usd, unknownLoops }: Numbers['cost']): string {
  if (usd === null) return 'not reported';
  return `${unknownLoops > 0 ? '≥ ' : ''}${dollars(usd)}`;
}
