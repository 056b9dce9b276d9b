import type { Files } from '../support/world.ts';

/** A kind of project, and an honest agent at work in it. */
export interface Kind {
  readonly id: string;
  /** What the agent does besides the work itself, in one sentence for the table. */
  readonly what: string;
  /** Programs without which it is skipped. */
  readonly needs?: readonly string[];
  /** A template that only `npm run honest -- --fetch` downloads. */
  readonly fetched?: string;
  /** Program folders that precede those of the system; CACHE stands for the fetched templates. */
  readonly programs?: readonly string[];
  readonly files: Files;
  /** Installs the dependencies before the loop, without the network. */
  readonly prepare?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly checks: readonly string[];
  readonly flags?: readonly string[];
  readonly agent: string;
  /** What must be reported. */
  readonly named: readonly RegExp[];
  /** What may be reported as well; nothing else may be. */
  readonly mayName?: readonly RegExp[];
}

/** A kind that cannot be tried here at all. */
export interface Missing {
  readonly id: string;
  readonly reason: string;
}
