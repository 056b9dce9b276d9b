import { type Scenario, scenarios } from './scenarios.ts';

/** Where an agent finds its model: which script it plays, and the folder that the agent works in. */
export interface Place {
  readonly scenario: Scenario;
  /** Given in the address: a guess would let an agent with all permissions write anywhere. */
  readonly folder: string;
}

/** The path that an agent's requests begin with. */
export function prefixOf({ scenario, folder }: Place): string {
  return `/s/${scenario}/${Buffer.from(folder).toString('base64url')}`;
}

/** The place and the rest of a request's path; undefined for a path of another kind. */
export function placeOf(path: string): { readonly place: Place; readonly rest: string } | undefined {
  const [, scenario = '', folder = '', rest = ''] = /^\/s\/([^/]+)\/([^/]+)(\/.*)$/u.exec(path) ?? [];
  if (!isScenario(scenario)) return undefined;
  return { place: { scenario, folder: Buffer.from(folder, 'base64url').toString() }, rest };
}

function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}
