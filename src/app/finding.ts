/** A finding of the doctor. */
export interface Finding {
  /** A problem needs action; a note is only information. */
  readonly level: 'problem' | 'note';
  readonly where: string;
  readonly what: string;
  /** The next command or edit. */
  readonly fix: string;
}
