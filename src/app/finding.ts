/** A finding of the doctor. */
export interface Finding {
  /** A problem needs action; a note is only information. */
  readonly level: 'problem' | 'note';
  readonly where: string;
  readonly what: string;
  /** The next step: a command to paste, in lower case, or a sentence. A note may need none. */
  readonly fix?: string;
}

/** One thing that a loop needs, and whether it is there. */
export interface CheckRow {
  readonly name: string;
  /** A warning is worth knowing; a problem keeps loops from starting or going on. */
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: string;
  /** The next step, in the same two forms; only where something is wrong. */
  readonly fix?: string;
}
