import type { SecretPlace } from './secrets.ts';

/** The result of a delivery. */
export type Delivery = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Where and with what channels send. */
export interface SenderPlace extends SecretPlace {
  /** The environment of commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Rings the terminal's bell, if there is a terminal. */
  readonly bell?: (() => void) | undefined;
  /** How long to wait before each further attempt to post. */
  readonly retryDelaysMs?: readonly number[] | undefined;
}
