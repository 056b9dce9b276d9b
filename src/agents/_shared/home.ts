import path from 'node:path';
import { ownFolder } from './sign-in.ts';

/** What an agent needs in a sandbox, and what no other one should read. */
export interface AgentHome {
  /** Its own folders and files, which it writes. */
  readonly writes: readonly string[];
  /** Those in them that only their user should change: they decide what later sessions run. */
  readonly keeps: readonly string[];
  /** Those of them that the agent creates itself when it first runs. */
  readonly creates: readonly string[];
  /** The hosts of its provider. */
  readonly hosts: readonly string[];
}

/** The folder of an agent, and files in it; nothing where there is no home. */
export function homeIn(
  env: NodeJS.ProcessEnv,
  { variable, inHome, keeps, creates = [] }: HomeFolder,
): Pick<AgentHome, 'writes' | 'keeps' | 'creates'> {
  const folder = ownFolder(env, variable, inHome);
  if (folder === undefined) return { writes: [], keeps: [], creates: [] };
  const inside = (names: readonly string[]) => names.map((name) => path.join(folder, name));
  return { writes: [folder], keeps: inside([...keeps, ...creates]), creates: inside(creates) };
}

interface HomeFolder {
  readonly variable?: string;
  readonly inHome: string;
  readonly keeps: readonly string[];
  readonly creates?: readonly string[];
}

/** The usual hosts of a provider, and those of the addresses that these variables hold instead. */
export function hostsIn(
  env: NodeJS.ProcessEnv,
  variables: readonly string[],
  usual: readonly string[],
): readonly string[] {
  const own = variables.flatMap((name) => {
    const address = URL.parse(env[name] ?? '');
    if (address === null || address.hostname === '') return [];
    return [address.port === '' ? address.hostname : `${address.hostname}:${address.port}`];
  });
  return [...usual, ...own];
}
