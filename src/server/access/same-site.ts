import { failures, LoopError } from '../../base/index.ts';

/** Names of this machine that no other site can have, under any port: `ssh -L` may use another one. */
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What a request says about where it comes from. */
export interface RequestOrigin {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, `-Mode` and `-Dest`. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

/**
 * Refuses a request under a name that is not ours: a site whose name resolves to this machine (DNS rebinding) has the
 * browser's permission to read our answers, but cannot hide its name.
 */
export function assertOwnHost({ host = '' }: RequestOrigin, names: ReadonlySet<string>): void {
  const name = hostNameOf(host);
  if (name === undefined || !(loopbackNames.has(name) || names.has(name)))
    throw new LoopError(failures.hostNotAllowed(host.slice(0, 200)));
}

/** Refuses what another site asks for. A person may follow a link from anywhere, which loads the page and no data. */
export function assertOwnSite({ host, origin, site, mode, dest }: RequestOrigin, isPage: boolean): void {
  const followsLink = isPage && mode === 'navigate' && dest === 'document';
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none' && !followsLink;
  const isOtherOrigin = origin !== undefined && hostOfOrigin(origin) !== host?.toLowerCase();
  if (isOtherSite || isOtherOrigin) throw new LoopError(failures.originNotAllowed());
}

/** The name in a Host header, without the port; undefined if it is not one. */
export function hostNameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/u.exec(host.toLowerCase())?.[1];
}

function hostOfOrigin(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/u.exec(origin.toLowerCase())?.[1];
}
