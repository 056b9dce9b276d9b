import { failures, LoopError } from '../base/index.ts';

/** The address of a fleet's database. It contains a password, so it is never shown. */
export interface FleetAddress {
  readonly url: string;
  /** What may be shown of it. */
  readonly place: string;
}

/** Reads the address of a database; refuses what is none. */
export function parseFleetAddress(text: string): FleetAddress {
  const url = URL.parse(text);
  if (url === null) throw new LoopError(failures.fleetAddressInvalid('it is not a URL'));
  if (url.protocol !== 'postgresql:' && url.protocol !== 'postgres:') {
    throw new LoopError(failures.fleetAddressInvalid(`it begins with ${url.protocol}`));
  }
  const { hostname, port, pathname } = url;
  if (pathname.length < 2) throw new LoopError(failures.fleetAddressInvalid('it names no database'));
  return { url: text, place: `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}` };
}
