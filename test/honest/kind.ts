import type { Files } from '../support/world.ts';

/** A kind of project, with an honest agent working in it. */
export interface Kind {
  readonly id: string;
  /** What the agent does besides the task itself, in one sentence for the table. */
  readonly what: string;
  /** Programs it requires; skipped if one is missing. */
  readonly needs?: readonly string[];
  /** A template that only `npm run honest -- --fetch` downloads. */
  readonly fetched?: string;
  /** Folders that come before the system's in PATH; CACHE stands for the downloaded templates. */
  readonly programs?: readonly string[];
  readonly files: Files;
  /** Installs the dependencies before the loop, offline. */
  readonly prepare?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly checks: readonly string[];
  readonly flags?: readonly string[];
  readonly agent: string;
  /** Findings that must be reported. */
  readonly named: readonly RegExp[];
  /** Findings that may also be reported; no others are allowed. */
  readonly mayName?: readonly RegExp[];
}

/** A kind that cannot be tested here. */
export interface Missing {
  readonly id: string;
  readonly reason: string;
}
