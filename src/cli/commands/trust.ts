import path from 'node:path';
import {
  type Grant,
  grantAny,
  grantTrust,
  readGrants,
  readTrust,
  realPath,
  removeGrants,
  type Trusted,
  trustedFolder,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError, visible } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { localInstant } from '../output/instants.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { broughtRows } from '../trust/brought-text.ts';

/** `ralphd trust`: what a project brings, and what of it the user trusts. Runs nothing of the project. */
export async function trustCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [action = 'show', folder] = invocation.args;
  const { words = [] } = invocation.command;
  if (!words.includes(action)) throw new LoopError(failures.unknownSubcommand('trust', action, words));
  if (action === 'list') return list(invocation, surroundings);
  const place = folder === undefined ? undefined : path.resolve(surroundings.cwd, folder);
  if (action === 'revoke') return revoke(place, invocation, surroundings);
  const isAlways = invocation.options['always'] === true;
  if (action === 'grant' && isAlways) return grantAlways(place ?? surroundings.cwd, invocation, surroundings);
  const trusts = await look(place, invocation, surroundings);
  return action === 'show'
    ? show(trusts, invocation, surroundings)
    : show(grantTrust(trusts, surroundings.env), invocation, surroundings, 'Trusted from now on, until it changes:');
}

/** What the folder brings, or else the project that it belongs to. */
async function look(
  folder: string | undefined,
  invocation: Invocation,
  surroundings: Surroundings,
): Promise<readonly Trusted[]> {
  const read = async (cwd: string) => readTrust(await settingsFor(invocation, { ...surroundings, cwd }), surroundings);
  const here = folder ?? surroundings.cwd;
  const found = await read(here);
  const project = projectFolder({ ...invocation, command: { ...invocation.command, name: 'show' } }, surroundings);
  return found.length > 0 || folder !== undefined || project === here ? found : await read(project);
}

function show(trusts: readonly Trusted[], { options }: Invocation, { stdout }: Surroundings, title?: string): number {
  if (options['json'] === true) {
    const projects = trusts.map(({ lines, isTrusted, ...subject }) => ({
      ...subject,
      trusted: title !== undefined || isTrusted,
      lines: lines.map(({ id: _id, ...line }) => line),
    }));
    stdout.write(jsonLine({ projects }));
    return exitCodes.completed;
  }
  const paint = paintFor(stdout);
  const blocks = trusts.map(({ folder, loop, lines, isTrusted }) => {
    const name = loop === undefined ? visible(folder) : `Loop ${visible(loop)} in ${visible(folder)}`;
    const state = isTrusted ? paint.good('trusted') : paint.warn('not trusted yet');
    return [
      ...broughtRows(lines, paint, widthOf(stdout)),
      '',
      title === undefined ? `${name}: ${state}` : `${title} ${name}`,
    ];
  });
  for (const block of blocks) {
    stdout.write(`${block.slice(0, -1).join('\n').trimStart()}\n`);
    printLines(stdout, [block.at(-1) ?? '']);
  }
  const isNew = title === undefined && trusts.some(({ isTrusted }) => !isTrusted);
  if (isNew) printLines(stdout, [`  ${paint.note('next:')} ralphd trust grant`]);
  if (trusts.length === 0)
    printLines(stdout, [
      title === undefined ? 'This project brings nothing that needs your trust.' : 'Nothing is left to trust here.',
    ]);
  return exitCodes.completed;
}

function grantAlways(folder: string, { options }: Invocation, { stdout, env }: Surroundings): number {
  const project = trustedFolder(folder);
  grantAny(project, env);
  if (options['json'] === true) stdout.write(jsonLine({ folder: project, scope: 'any' }));
  else
    printLines(stdout, [
      `You trust whatever ${visible(project)} and the folders in it bring, now and later.`,
      `  Take it back with: ralphd trust revoke`,
    ]);
  return exitCodes.completed;
}

function list({ options }: Invocation, { stdout, env }: Surroundings): number {
  const grants = readGrants(env);
  if (options['json'] === true) stdout.write(jsonLine({ trusted: grants }));
  else printLines(stdout, grants.length === 0 ? ['You trust no project yet.'] : grants.map(grantLine));
  return exitCodes.completed;
}

function grantLine({ folder, loop, scope, lines, at }: Grant): string {
  const when = localInstant(Date.parse(at), Date.now());
  const what = scope === 'any' ? 'everything in it' : lines.length === 1 ? '1 line' : `${lines.length} lines`;
  return `${visible(folder)}${loop === undefined ? '' : `  loop ${visible(loop)}`}  ${what}  since ${when}`;
}

function revoke(place: string | undefined, { options }: Invocation, { stdout, env, cwd }: Surroundings): number {
  const isAll = options['all'] === true;
  if (isAll && place !== undefined) throw new LoopError(failures.conflictingOptions('--all', 'FOLDER'));
  const project = trustedFolder(place ?? cwd);
  // A folder that is gone can still be named.
  const named = [project, realPath(place ?? cwd)];
  const isBelow = (folder: string) => named.some((each) => folder === each || folder.startsWith(`${each}${path.sep}`));
  const removed = removeGrants(({ folder }) => isAll || isBelow(folder), env);
  if (options['json'] === true) stdout.write(jsonLine({ revoked: removed }));
  else
    printLines(stdout, [
      removed.length === 0 ? `You trusted nothing in ${visible(project)}.` : `No longer trusted:`,
      ...removed.map((grant) => `  ${grantLine(grant)}`),
    ]);
  return exitCodes.completed;
}
