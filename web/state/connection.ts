import { createCell } from './cell.ts';
import { now } from './clock.ts';

/** How the page stands with its server. */
export interface Connection {
  readonly phase: 'loading' | 'live' | 'lost' | 'expired';
  /** When anything last came from the server. */
  readonly heardAtMs: number;
  /** When the connection broke. */
  readonly lostAtMs?: number;
  /** How many facts were missed and have been taken since; said once, after the connection came back. */
  readonly caughtUp?: { readonly facts: number; readonly atMs: number };
}

/** Shown in the bar of every view. */
export const connection = createCell<Connection>({ phase: 'loading', heardAtMs: now() });

/** The server has answered. */
export function heard(): void {
  const { value } = connection;
  if (value.phase === 'expired') return;
  const { lostAtMs: _over, ...rest } = value;
  connection.set({ ...rest, phase: 'live', heardAtMs: now() });
}

/** The connection is gone. */
export function lost(): void {
  const { value } = connection;
  if (value.phase === 'expired') return;
  const { caughtUp: _old, ...rest } = value;
  connection.set({ ...rest, phase: 'lost', lostAtMs: value.lostAtMs ?? now() });
}

/** The link of this page is no longer valid. */
export function expired(): void {
  connection.set({ phase: 'expired', heardAtMs: connection.value.heardAtMs });
}

/** The connection is back, and this many facts were missed. */
export function caughtUp(facts: number): void {
  connection.set({ ...connection.value, caughtUp: { facts, atMs: now() } });
}
