import path from 'node:path';
import { quietly, readUserFile } from '../../files/index.ts';
import { asObject, type Json } from './json.ts';

/** How an agent is signed in, as far as files and variables show it; nothing is started to find out. */
export interface SignIn {
  /** Who pays for what it does. */
  readonly pays: 'subscription' | 'API key' | 'cloud account' | 'unknown';
  /** The variable or the file that shows it; never its value. */
  readonly from: string;
}

/** The first of these variables that is set. */
export function keyIn(env: NodeJS.ProcessEnv, names: readonly string[], pays: SignIn['pays']): SignIn | undefined {
  const from = names.find((name) => (env[name] ?? '') !== '');
  return from === undefined ? undefined : { pays, from };
}

/** A folder that a variable names, if there is such a variable, else one in the user's home. */
export function ownFolder(env: NodeJS.ProcessEnv, variable: string | undefined, inHome: string): string | undefined {
  const { HOME: home } = env;
  const chosen = variable === undefined ? undefined : env[variable];
  if (chosen !== undefined && path.isAbsolute(chosen)) return chosen;
  return home === undefined || home === '' ? undefined : path.join(home, inHome);
}

/** A JSON file of an agent; undefined where it cannot be read. */
export function readJson(
  folder: string | undefined,
  name: string,
): { readonly file: string; readonly json: Json } | undefined {
  if (folder === undefined) return undefined;
  const file = path.join(folder, name);
  let json: Json | undefined;
  quietly(() => {
    json = asObject(JSON.parse(readUserFile(file) ?? ''));
  });
  return json === undefined ? undefined : { file, json };
}
