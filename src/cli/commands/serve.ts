import path from 'node:path';
import { knownPlaces, type LoopPlace, listAgents, sessionFileOf } from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import type { OpenServer, OwnerStarter, ServerSetting } from '../../server/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { fleetAddressOf, placeFor } from '../place.ts';
import { readCertificate } from '../serve/certificate.ts';
import { createFleetOwners } from '../serve/fleet-owners.ts';
import { createOwners } from '../serve/owners.ts';
import { serverWords } from '../serve/server-words.ts';
import { readToken } from '../serve/token-file.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { textOf } from '../text-option.ts';
import { withTrustedAgents } from '../trust/settings.ts';
import { version } from '../version.ts';

const usualPort = 7117;
const loopback = ['127.0.0.1', '::1', 'localhost'];

/** `ralphd serve`: answers browsers on this machine until it is interrupted. */
export async function serveCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const setting = await settingOf(invocation, surroundings);
  const server = await open(setting, invocation.options['port'] === undefined);
  try {
    await tell(server, setting, { invocation, surroundings });
    await interrupted();
  } finally {
    await server.close();
  }
  surroundings.stderr.write('Stopped showing loops; the loops themselves continue.\n');
  return exitCodes.completed;
}

/** The usual port may be taken by another server of this user; a chosen one has to be that one. */
async function open(setting: ServerSetting, mayChoosePort: boolean): Promise<OpenServer> {
  const { openServer } = await import('../../server/index.ts');
  try {
    return await openServer(setting);
  } catch (error) {
    const isTaken = error instanceof LoopError && error.code === 'ADDRESS_IN_USE';
    if (!isTaken || !mayChoosePort) throw error;
    return await openServer({ ...setting, listen: { ...setting.listen, port: 0 } });
  }
}

async function settingOf(invocation: Invocation, surroundings: Surroundings): Promise<ServerSetting> {
  const { options } = invocation;
  const { cwd, env, stderr } = surroundings;
  const isAll = options['all'] === true;
  const fleet = fleetAddressOf(invocation, surroundings);
  if (isAll && fleet !== undefined) throw new LoopError(failures.conflictingOptions('--db', '--all'));
  const own = await placeFor(invocation, surroundings);
  const context = { ...appContext(surroundings), face: 'page' as const };
  const certificate = readCertificate(options, cwd);
  const host = textOf(options['host']) ?? '127.0.0.1';
  if (!loopback.includes(host) && certificate === undefined && options['allow-plain-http'] !== true)
    throw new LoopError(failures.addressNotLocal(host));
  const names = options['allow-host'] ?? [];
  const tokenFile = textOf(options['token-file']);
  const loaded = await settingsFor(invocation, surroundings);
  const config = withTrustedAgents(loaded, surroundings);
  return {
    version,
    places: isAll ? () => withOwn(knownPlaces(env), own) : () => [own],
    isAll,
    context,
    words: serverWords,
    owners: options['allow-control'] === true ? ownersFor(fleet, invocation, surroundings) : undefined,
    listAgents: async () => await listAgents(config, context),
    listen: { host, port: portOf(invocation), certificate },
    names: typeof names === 'object' ? names : [],
    pageFolder: path.join(import.meta.dirname, 'web'),
    sessionFile: sessionFileOf(isAll ? undefined : own, env),
    token: tokenFile === undefined ? undefined : readToken(path.resolve(cwd, tokenFile)),
    onFault: (error) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      stderr.write(scrub(`ralphd: a request failed because of a fault in ralphd:\n${text}\n`));
    },
  };
}

function ownersFor(fleet: string | undefined, { options }: Invocation, surroundings: Surroundings): OwnerStarter {
  if (fleet !== undefined) return createFleetOwners(fleet);
  return createOwners(surroundings, options['trust-project'] === true);
}

/** 0 for any that is free. */
function portOf({ options }: Invocation): number {
  const text = textOf(options['port']) ?? String(usualPort);
  const port = /^\d{1,5}$/u.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new LoopError(failures.badValue('--port', 'a number from 0 to 65535', `"${text}"`));
}

/** A project is shown before it has its first loop. */
function withOwn(places: readonly LoopPlace[], own: LoopPlace): readonly LoopPlace[] {
  return places.some(({ root }) => root === own.root) ? places : [...places, own];
}

interface Telling {
  readonly invocation: Invocation;
  readonly surroundings: Surroundings;
}

async function tell(
  server: OpenServer,
  { owners, listen: { host } }: ServerSetting,
  { invocation: { options }, surroundings }: Telling,
): Promise<void> {
  const { stdout, stderr } = surroundings;
  const link = server.createLink();
  const control = owners !== undefined;
  if (options['json'] === true) stdout.write(jsonLine({ url: link, origin: server.origin, control, pid: process.pid }));
  else printLines(stdout, [link]);
  await surroundings.flush();
  const paint = paintFor(stderr);
  const notes = [
    'Open this link in your browser; it works once, and the browser stays signed in. Ctrl-C stops the server, not the loops.',
    ...(control ? [] : ['Read only: start it with --allow-control to act from the page.']),
  ];
  printLines(stderr, notes.map(paint.dim));
  if (!loopback.includes(host))
    printLines(stderr, [paint.warn(`! Other machines can reach this server at ${server.origin}.`)]);
}

async function interrupted(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, end);
  try {
    await promise;
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}
