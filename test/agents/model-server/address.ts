import { type Scenario, scenarios } from './scenarios.ts';

/** The scenario that the model plays for an agent, and the folder in which the agent works. */
export interface Place {
  readonly scenario: Scenario;
  /** Part of the address: with a guess, an agent with full permissions could write anywhere. */
  readonly folder: string;
}

/** The prefix of the path of an agent's requests. */
export function prefixOf({ scenario, folder }: Place): string {
  return `/s/${scenario}/${Buffer.from(folder).toString('base64url')}`;
}

/** The place and the rest of a request's path; undefined for any other path. */
export function placeOf(path: string): { readonly place: Place; readonly rest: string } | undefined {
  const [, scenario = '', folder = '', rest = ''] = /^\/s\/([^/]+)\/([^/]+)(\/.*)$/u.exec(path) ?? [];
  if (!isScenario(scenario)) return undefined;
  return { place: { scenario, folder: Buffer.from(folder, 'base64url').toString() }, rest };
}

function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}
